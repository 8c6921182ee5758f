#include "online/workspace.h"

#include "base/alloc.h"

berth__workspace *berth__workspaces_new(int n) {
    berth__workspace *all = BERTH__NEW_ARRAY(berth__workspace, (size_t)n);
    for (int i = 0; all != NULL && i < n; i++) {
        all[i].theta = berth__theta_new();
        all[i].completion = berth__completion_new();
        all[i].schedule = berth__schedule_new();
        all[i].offers = berth__arena_new();
        all[i].scratch = berth__arena_new();
        if (all[i].theta == NULL || all[i].completion == NULL || all[i].schedule == NULL || all[i].offers == NULL ||
            all[i].scratch == NULL) {
            berth__workspaces_free(all, n);
            return NULL;
        }
    }
    return all;
}

void berth__workspaces_free(berth__workspace *all, int n) {
    for (int i = 0; all != NULL && i < n; i++) {
        berth__theta_free(all[i].theta);
        berth__completion_free(all[i].completion);
        berth__arena_free(all[i].arena);
        berth__schedule_free(all[i].schedule);
        berth__arena_free(all[i].offers);
        berth__arena_free(all[i].scratch);
        berth__arena_pool_free(&all[i].plans);
    }
    berth__free(all);
}

bool berth__workspace_reserve(berth__workspace *workspace, int most_groups, int n_resources) {
    if (workspace->arena != NULL && workspace->groups.room >= most_groups) {
        return true;
    }
    int room = most_groups + most_groups / 4 + 8; /* so that a slowly filling cluster does not ask each time */
    berth__arena_free(workspace->arena);
    workspace->groups = (berth__slot_groups){0};
    workspace->arena = berth__arena_new();
    if (workspace->arena == NULL) {
        return false;
    }
    workspace->group_room = BERTH__ARENA_ARRAY(workspace->arena, int, (size_t)room);
    if (workspace->group_room == NULL ||
        !berth__slot_groups_room(workspace->arena, room, n_resources, &workspace->groups)) {
        berth__arena_free(workspace->arena);
        workspace->arena = NULL;
        workspace->groups = (berth__slot_groups){0};
        return false;
    }
    return true;
}
