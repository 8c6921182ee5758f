/* make install and uninstall below folders with odd names, and the paths they refuse. Needs make and the program with
 * libberth.a beside it. */
#include "tests/support/check.h"
#include "tests/support/program.h"

#include <stdio.h>

/* Settings of a make that runs these tests are not of this one. */
#define MAKE "MAKEFLAGS= MAKELEVEL= make --no-print-directory "

static void odd_paths_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *setting, *message;
    } cases[] = {
        {"PREFIX=relative", "PREFIX is 'relative': expected an absolute path"},
        {"PREFIX=", "PREFIX is '': expected an absolute path"},
        {"PREFIX=.", "PREFIX is '.': expected an absolute path"},
        {"LIBDIR=lib64", "LIBDIR is 'lib64': expected an absolute path"},
        {"MANDIR=share/man", "MANDIR is 'share/man': expected an absolute path"},
        {"'PREFIX=/opt/my berth'", "PREFIX is '/opt/my berth': expected no blanks"},
        {"'PREFIX=/opt/a|b'", "PREFIX is '/opt/a|b': expected no blanks"},
        {"'PREFIX=/opt/a&b'", "PREFIX is '/opt/a&b': expected no blanks"},
        {"\"PREFIX=/opt/it's\"", "PREFIX is '/opt/it's': expected no blanks"},
        {"'INCLUDEDIR=/opt/a;b'", "INCLUDEDIR is '/opt/a;b': expected no blanks"},
        {"'COMPLETIONDIR=/opt/\\a'", "COMPLETIONDIR is '/opt/\\a': expected no blanks"},
        {"PREFIX=/opt/berth/", "and no slash at the end"},
        {"\"DESTDIR=$S/it's\"", "expected no quote"},
        {"DESTDIR=-x", "no hyphen at the beginning"},
    };
    static const char *const targets[] = {"install-files", "uninstall"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char command[512];
        snprintf(command, sizeof command, MAKE "%s DESTDIR=$S/refused %s", targets[k % 2], cases[k].setting);
        program_expect(command, 2, cases[k].message);
    }
    program_expect("test ! -e $S/refused", 0, "");
}

/* What is beside the installed files stays; the shared libraries are not built for tests. */
static void odd_folders_are_filled_and_emptied(void **state) {
    (void)state;
    static const char *const folders[] = {"$S/a | & b", "$S/tab\\\\t\\\"quoted\\\" ; *", "$S/gr\303\266\303\237e"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char command[1024];
        snprintf(
            command, sizeof command,
            "folder=\"%s\"; set -- B=$(dirname \"$B\") INSTALLED_LIBS=$(dirname \"$B\")/libberth.a PREFIX=/opt/berth; "
            "mkdir -p \"$folder/opt/berth/lib\"; echo mine > \"$folder/opt/berth/lib/mine\"; " MAKE
            "install-files \"$@\" \"DESTDIR=$folder\" > $S/log && \"$folder/opt/berth/bin/berth\" version && "
            "grep '^prefix=' \"$folder/opt/berth/lib/pkgconfig/berth.pc\" && " MAKE
            "uninstall \"$@\" \"DESTDIR=$folder\" >> $S/log && find \"$folder/opt/berth\" -mindepth 1 | grep -o "
            "'[^/]*$' "
            "| sort",
            folders[k]);
        program_expect(command, 0, "prefix=/opt/berth\nlib\nmine\n");
    }
    /* A relative one, below the folder that the sources are in. */
    program_expect(
        "mkdir -p $S/top; for f in * .ci; do ln -s \"$PWD/$f\" $S/top; done; rm $S/top/build; cd $S/top; "
        "set -- B=$(dirname \"$B\") INSTALLED_LIBS=$(dirname \"$B\")/libberth.a PREFIX=/opt/berth 'DESTDIR=a b'; " MAKE
        "install-files \"$@\" > $S/log && ls 'a b/opt/berth/bin' && " MAKE
        "uninstall \"$@\" >> $S/log && ls 'a b/opt/berth' | wc -l",
        0, "berth\n0\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_paths_are_refused),
        cmocka_unit_test(odd_folders_are_filled_and_emptied),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
