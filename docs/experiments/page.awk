# docs/experiments.md from the data of the experiments.
# usage: awk -f docs/experiments/page.awk -v source=... -v machine=... -v slot=... COMMANDS HELP NAME.csv...
# source, machine, slot: what the first instance says of itself, of a machine and of a slot's seconds. COMMANDS: those
# that ran; HELP: what 'berth help run' prints. Sentences that judge are made here from the data, as is every number.
FNR == 1 {
    FS = ","
    $0 = $0
    file++
    experiment = FILENAME
    sub(/.*\//, "", experiment)
    sub(/\.csv$/, "", experiment)
    if (file > 2) next
}
file == 1 { command[++n_commands] = $0; next }
file == 2 { read_help($0); next }
{
    if (!((experiment, $2) in has_series)) { has_series[experiment, $2] = 1; series[experiment, ++n_series[experiment]] = $2 }
    if (!((experiment, $1) in has_point)) { has_point[experiment, $1] = 1; point[experiment, ++n_points[experiment]] = $1 }
    runs[experiment, $1, $2, $3] = $4
    mean[experiment, $1, $2, $3] = $5
    half[experiment, $1, $2, $3] = $6
    difference[experiment, $1, $2, $3] = $7
    difference_half[experiment, $1, $2, $3] = $8
}

# Policies and what they do, from the help of --policy: "name: text" over several lines.
function read_help(line,   name) {
    if (line ~ /^ +--/) in_policies = line ~ /--policy /
    if (!in_policies) return
    sub(/^ +/, "", line)
    if (line ~ /^[a-z][a-z-]*: /) {
        name = line
        sub(/:.*/, "", name)
        sub(/^[^:]*: /, "", line)
        current = name
        about[name] = line
    } else if (current != "") about[current] = about[current] " " line
}

# ---- words --------------------------------------------------------------------------------------------------------

function value(e, x, s, metric) { return mean[e, x, s, metric] }

function with_interval(e, x, s, metric, format) {
    if (half[e, x, s, metric] == "") return sprintf(format, mean[e, x, s, metric])
    return sprintf(format " ± " format, mean[e, x, s, metric], half[e, x, s, metric])
}

# What the last command of that kind that the experiment's first point needed says after an option.
function said(e, kind, option,   i, text) {
    for (i = 1; i <= n_commands; i++) {
        if (index(command[i], "build/berth " kind " ") > 0 && index(command[i], "build/experiments/" e "-") > 0) {
            if (option == "") return command[i]
            text = command[i]
            if (!index(text, " --" option " ")) return ""
            sub(".* --" option " ", "", text)
            sub(/ .*/, "", text)
            return text
        }
    }
    return ""
}

function list_points(e, which,   i, text) {
    for (i = 1; i <= n_points[e]; i++) if (which[i]) text = text (text == "" ? "" : ", ") point[e, i]
    return text
}
function all_points(e,   i, all) {
    for (i = 1; i <= n_points[e]; i++) all[i] = 1
    return list_points(e, all)
}

# A paragraph or an item, broken between words.
function say(text, indent,   n, i, words, column) {
    n = split(text, words, " ")
    column = 0
    for (i = 1; i <= n; i++) {
        if (column > 0 && column + 1 + length(words[i]) > 124) {
            printf "\n%s", indent
            column = length(indent)
        } else if (column > 0) {
            printf " "
            column++
        }
        printf "%s", words[i]
        column += length(words[i])
    }
    print ""
}
function paragraph(text) {
    say(text, "")
    print ""
}

# ---- judging ------------------------------------------------------------------------------------------------------

# Does pdors earn more than `rival`? Sets holds, clear (beyond the interval of the difference), lost, clearly_lost, and
# against[i]: points where it does not. The differences in the data are to pdors.
function judge(e, rival,   i, d, w) {
    holds = clear = clearly_lost = 0
    split("", against)
    for (i = 1; i <= n_points[e]; i++) {
        d = difference[e, point[e, i], rival, "utility"]
        w = difference_half[e, point[e, i], rival, "utility"]
        if (d < 0) { holds++; if (d + w < 0) clear++ }
        else { against[i] = 1; if (d - w > 0) clearly_lost++ }
    }
}

function verdict(n, of) { return n == of ? "agrees" : n == 0 ? "does not agree" : "agrees in part" }

# A row of the table of claims.
function claim_row(e, claim, rival,   n) {
    judge(e, rival)
    n = n_points[e]
    printf "| %s | `%s` | holds at %d of %d points, at %d beyond the interval%s | %s |\n", claim, rival, holds, n, clear,
        (holds < n ? sprintf("; not at %s, at %d of these beyond it", list_points(e, against), clearly_lost) : ""),
        verdict(holds, n)
}

# ---- sections -----------------------------------------------------------------------------------------------------

function write_table(e, heading, metric,   i, k, x) {
    printf "| %s |", heading
    for (k = 1; k <= n_series[e]; k++) printf " `%s` |", series[e, k]
    printf "\n|---|"
    for (k = 1; k <= n_series[e]; k++) printf "---|"
    print ""
    for (i = 1; i <= n_points[e]; i++) {
        x = point[e, i]
        printf "| %s |", x
        for (k = 1; k <= n_series[e]; k++) {
            printf " %s<br>%s<br>%.2f |", (metric == "utility" ? with_interval(e, x, series[e, k], "utility", "%.0f") : \
                value(e, x, series[e, k], "drawn") == "" ? "" : sprintf("%.3f", value(e, x, series[e, k], "drawn"))), \
                with_interval(e, x, series[e, k], "of_bound", "%.3f"), 1 / value(e, x, series[e, k], "of_bound")
        }
        print ""
    }
    print ""
}

function write_commands(e) {
    paragraph("The first point's commands, and likewise for the others (`docs/experiments/refresh --commands` prints all):")
    print "    " said(e, "generate", "")
    print "    " said(e, "compare", "")
    print "    " said(e, "run", "") "\n"
}

function absolute(x) { return x < 0 ? -x : x }

# Where another of the paper's policies earns more: by how much, what became of the jobs and of pdors' roundings, and
# what mending these earns. If it is more than half of what is lacking, they are the reason.
function write_reasons(e,   i, k, x, n, rival, worst, mended, item, loses, due, due_at, others, others_clear) {
    n = n_points[e]
    loses = due = others_clear = 0
    due_at = others = ""
    split("", item)
    for (i = 1; i <= n; i++) {
        x = point[e, i]
        worst = 0
        for (k = 1; k <= n_rivals; k++) if (difference[e, x, rivals[k], "utility"] + 0 > worst) { worst = difference[e, x, rivals[k], "utility"] + 0; rival = rivals[k] }
        if (worst <= 0) continue
        mended = difference[e, x, "pdors:repair", "utility"] + 0
        item[++loses] = sprintf("- at %s, `%s` earns %.1f ± %.1f more. `pdors` completes %.1f jobs, `%s` %.1f; in %.1f %% of the roundings of `pdors` no draw kept all rows. With these mended (`pdors:repair`) it completes %.1f and earns %.1f %s.",
            x, rival, worst, difference_half[e, x, rival, "utility"], value(e, x, "pdors", "completed"), rival, value(e, x, rival, "completed"),
            100 * (1 - value(e, x, "pdors", "drawn")), value(e, x, "pdors:repair", "completed"), absolute(mended), (mended < 0 ? "less" : "more"))
        if (mended > worst / 2) {
            due++
            due_at = due_at (due_at == "" ? "" : ", ") x
        } else {
            others = others (others == "" ? "" : ", ") x
            others_clear += worst > difference_half[e, x, rival, "utility"] + 0
        }
    }
    if (loses == 0) {
        paragraph("At no point of this experiment does one of the policies that the paper compares with earn more than `pdors`.")
        return
    }
    paragraph(sprintf("At %d of %d points a policy that the paper compares with earns more than `pdors` (the one that earns most of these):", loses, n))
    for (i = 1; i <= loses; i++) say(item[i], "  ")
    print ""
    if (due > 0) paragraph(sprintf("At %s mending gives back more than half of what is lacking: the reason is there that `pdors` makes no offer where its roundings fail, and turns away jobs for which there is room.", due_at))
    if (others != "") paragraph(sprintf("At %s it does not%s.", others, (others_clear == 0 ? ", but there the difference is within its interval" : ": there it is the prices that turn jobs away, or admit the wrong ones")))
}

function write_others(e,   i, x, n, best, above, ci_above, mended, r, low, high) {
    n = n_points[e]
    above = best = ci_above = mended = 0
    low = high = ""
    for (i = 1; i <= n; i++) {
        x = point[e, i]
        above += difference[e, x, "bidlp", "utility"] - difference_half[e, x, "bidlp", "utility"] > 0
        best += is_best(e, x, "bidlp")
        ci_above += difference[e, x, "pdors-ci", "utility"] > 0
        mended += difference[e, x, "pdors:repair", "utility"] > 0
        r = value(e, x, "bidlp", "of_bound") + 0
        if (low == "" || r < low) low = r
        if (high == "" || r > high) high = r
    }
    paragraph(sprintf("Of those that the paper does not have, `bidlp` earns more than `pdors` beyond the interval at %d of %d points and the most of all at %d, %.3f to %.3f of the bound; `pdors-ci` earns more than `pdors` at %d, `pdors:repair` at %d.", above, n, best, low, high, ci_above, mended))
}

function is_best(e, x, s,   k) {
    for (k = 1; k <= n_series[e]; k++) if (series[e, k] != s && value(e, x, series[e, k], "utility") >= value(e, x, s, "utility")) return 0
    return 1
}

# The utility of pdors from the first point to the last.
function write_course(e,   i, n, rises) {
    n = n_points[e]
    for (i = 2; i <= n; i++) rises += value(e, point[e, i], "pdors", "utility") > value(e, point[e, i - 1], "pdors", "utility")
    paragraph(sprintf("From point to point the utility of `pdors` rises in %d of %d steps, from %.0f to %.0f in all.", rises, n - 1,
        value(e, point[e, 1], "pdors", "utility"), value(e, point[e, n], "pdors", "utility")))
}

function write_experiment(e, heading, varying, rest) {
    printf "## %s\n\n", heading
    paragraph(rest " 95 % intervals over " runs[e, point[e, 1], "pdors", "utility"] " instances.")
    printf "![%s](experiments/%s.svg)\n\n", heading, e
    paragraph("Cells: utility; utility / LP bound; the inverse of that mean, bound / utility, which is how the paper counts. Data: " link(e))
    write_table(e, varying, "utility")
    if (e != "mix") write_course(e)
    write_others(e)
    write_reasons(e)
    write_commands(e)
}

function link(e) { return sprintf("[experiments/%s.csv](experiments/%s.csv).", e, e) }

function generated(e, left_out,   text, parts, n, i, option) {
    n = split("machines jobs slots", parts, " ")
    for (i = 1; i <= n; i++) if (parts[i] != left_out) text = text (text == "" ? "" : ", ") said(e, "generate", parts[i]) " " parts[i]
    return text
}

# Over all points of a series: least and largest mean of a metric, and where. Sets low, high, low_at, high_at.
function span(e, s, metric,   i, v) {
    low = high = ""
    for (i = 1; i <= n_points[e]; i++) {
        v = value(e, point[e, i], s, metric)
        if (v == "") continue
        if (low == "" || v + 0 < low) { low = v + 0; low_at = point[e, i] }
        if (high == "" || v + 0 > high) { high = v + 0; high_at = point[e, i] }
    }
}

function write_rounding(e, heading, varying, text,   k, s, item) {
    printf "## %s\n\n", heading
    paragraph(text " " generated(e, "") ", " runs[e, point[e, 1], series[e, 1], "of_bound"] " instances, those of the experiments before; all else by default. `pdors-ci` and `bidlp` do not round at random and are there to compare with; nor do the other policies, whose ratios are those of " said(e, "generate", "machines") " machines above.")
    printf "![%s](experiments/%s.svg)\n\n", heading, e
    paragraph("Cells: share of roundings for which some draw kept all rows; utility / LP bound; its inverse. Data: " link(e))
    write_table(e, varying, "drawn")
    for (k = 1; k <= n_series[e]; k++) {
        s = series[e, k]
        if (value(e, point[e, 1], s, "drawn") == "") continue
        span(e, s, "of_bound")
        item = sprintf("- `%s`: %.3f (at %s) to %.3f of the bound (at %s)", s, low, low_at, high, high_at)
        span(e, s, "drawn")
        item = item sprintf("; some draw kept all rows in %.1f %% (at %s) to %.1f %% (at %s) of the roundings", 100 * low, low_at, 100 * high, high_at)
        span(e, s, "held")
        say(item sprintf("; the premise of the theorem held for %s of them.", (low == high ? sprintf("%.1f %%", 100 * low) : sprintf("%.1f %% (at %s) to %.1f %% (at %s)", 100 * low, low_at, 100 * high, high_at))), "  ")
    }
    print ""
    write_findings(e)
    write_commands(e)
}

function write_findings(e,   k, i, s, x, best, best_at, drawn, drawn_at, moved, widest) {
    for (k = 1; k <= n_series[e]; k++) {
        s = series[e, k]
        if (value(e, point[e, 1], s, "drawn") == "") continue
        span(e, s, "of_bound")
        if (high - low > moved + 0) moved = high - low
        if (best == "" || high > best) { best = high; best_at = sprintf("`%s` at %s", s, high_at) }
        for (i = 1; i <= n_points[e]; i++) if (half[e, point[e, i], s, "of_bound"] + 0 > widest + 0) widest = half[e, point[e, i], s, "of_bound"]
        span(e, s, "drawn")
        if (drawn == "" || high > drawn) { drawn = high; drawn_at = sprintf("`%s` at %s", s, high_at) }
    }
    paragraph(sprintf("Over all values of %s the ratio of a variant moves by %.3f at most; the widest interval of a mean is ± %.3f. Most roundings keep all rows under %s (%.1f %%); most is earned under %s (%.3f of the bound)%s.",
        (e == "scale" ? "G" : e), moved, widest, drawn_at, 100 * drawn, best_at, best,
        (drawn_at == best_at ? "" : ": the G that is best for a rounding is not the one that is best for the run, in which a placement that is not found leaves room for others")))
    if (e == "delta") paragraph("The theorem promises cost and rows up to factors, for a single draw; that a draw keeps *all* rows is more, and no theorem promises it here. The paper's forms rest on a bound on the upper tail that holds for deviations up to the mean only; where its G is below 1/2, or packing rows have few units, the premise fails (`rounding/bounds.h`), and the sharper root is there instead.")
}

# ---- the page -----------------------------------------------------------------------------------------------------

function write_claims(   k, e, i, x, n_runs, closed, floored, worst, worst_at, r, parts, m, j) {
    print "## What the paper claims, and what came out\n"
    paragraph("Earns more: a larger mean utility; beyond the interval: the 95 % interval of the difference, instance by instance, leaves out 0. \"Agrees\": at every point; \"in part\": at some. Reasons are under each experiment.")
    print "| claim | than | what came out | our runs and the claim |\n|---|---|---|---|"
    m = split("machines jobs slots", parts, " ")
    for (j = 1; j <= m; j++) for (k = 1; k <= 3; k++) claim_row(parts[j], "`pdors` earns more, whatever the number of " parts[j], rivals[k])
    for (j = 1; j <= m; j++) claim_row(parts[j], "placing with locality pays, whatever the number of " parts[j], "oasis")
    for (k = 1; k <= 3; k++) claim_row("mix", "`pdors` earns more, whatever the mix of utilities", rivals[k])
    claim_row("mix", "placing with locality pays, whatever the mix", "oasis")
    m = split("machines jobs slots mix", parts, " ")
    worst = 1
    for (j = 1; j <= m; j++) {
        e = parts[j]
        for (i = 1; i <= n_points[e]; i++) {
            x = point[e, i]
            n_runs += runs[e, x, "pdors", "closed_form"]
            closed += runs[e, x, "pdors", "closed_form"] * value(e, x, "pdors", "closed_form")
            floored += runs[e, x, "pdors", "floored"] * value(e, x, "pdors", "floored")
            r = 1 / value(e, x, "pdors", "of_bound")
            if (r > worst) { worst = r; worst_at = e " = " x }
        }
    }
    printf "| the competitive ratio 6 G/delta max(1, ln U/L) bounds bound / utility | | it applies to %d of %d runs: in %d the lower price L vanishes and is raised to the floor, in the others another premise fails; measured, bound / utility is at most %.2f in the mean (%s) | %s |\n", closed, n_runs, floored, worst, worst_at, (closed == 0 ? "the claim says nothing here" : closed == n_runs ? "agrees" : "agrees where it applies")
    for (k = 1; k <= n_series["delta"]; k++) {
        x = series["delta", k]
        if (value("delta", point["delta", 1], x, "held") == "") continue
        span("delta", x, "held")
        printf "| a rounding keeps its promise with probability 1 - delta | `%s` | its premises hold for %s of the roundings | %s |\n", x,
            (low == high ? sprintf("%.1f %%", 100 * low) : sprintf("%.1f to %.1f %%", 100 * low, 100 * high)), \
            (low == 1 ? "applies" : high == 0 ? "does not apply" : "applies in part")
    }
    print ""
}

function write_setting(   k, s) {
    print "## Setting\n"
    paragraph("Instances are those of `berth generate pdors`, which says of the first one: \"" source "\" A machine has " machine "; a slot has " slot " seconds.")
    paragraph("The paper's jobs, as printed, do not fit its own horizon. Ours are smaller, so that as many machines as the paper has are far from full with them: `workload/generate_pdors.h` has every range and what was changed. Hence directions are compared here, who earns more and where, not the heights of the paper's curves.")
    paragraph(sprintf("Each point has %s instances, from the seeds %s. Each policy runs each of them once, with the instance's seed for its own draws; every run is verified as by `berth check`. Means over instances have 95 %% intervals by Student's t. The LP bound, which no schedule exceeds, is that of each instance (`--bound-gap %s`). `bidlp` runs with `--effort %s`, all else by default.", runs["machines", point["machines", 1], "pdors", "utility"], seeds(), said("machines", "compare", "bound-gap"), said("machines", "compare", "effort")))
    print "| policy | rule |\n|---|---|"
    for (k = 1; k <= n_series["machines"]; k++) {
        s = series["machines", k]
        printf "| `%s` | %s |\n", s, (s in about ? about[s] : "as `pdors`, but where no draw keeps all rows the best one is altered until it does (`--repair`)")
    }
    print ""
    paragraph("Nothing depends on the clock: the integer programmes of `dorm` end at a number of nodes, the search of `bidlp` at counters. So the same numbers come out whatever the machine's speed, with the same solvers.")
    paragraph(sprintf("To run all of it again (%d commands; it goes on where it was stopped):", n_commands))
    print "    make experiments\n"
}

function seeds(   text) {
    text = said("machines", "generate", "")
    sub(/^for s in /, "", text)
    sub(/;.*/, "", text)
    gsub(/ /, ", ", text)
    return text
}

END {
    n_rivals = split("fifo drf dorm oasis", rivals, " ")
    print "# The paper's experiments, run again\n"
    paragraph("The policy `pdors` is that of Yu, Liu, Wu, Ji and Bentley, \"Toward Efficient Online Scheduling for Distributed Machine Learning Systems\" (IEEE TNSE 9(4), 2022, arXiv 2108.02917). This page runs experiments like those of its section V: what policies earn as machines, jobs, slots and the mix of utilities vary, and how near `pdors` comes to the optimum as delta and the factor G of its rounding vary. `docs/experiments/refresh` makes the page: every number, and every sentence that judges, is computed from the runs. A test makes it again from the data beside it, and runs the smallest point once more.")
    write_claims()
    write_setting()
    write_experiment("machines", "Utility and number of machines", "machines", said("machines", "generate", "jobs") " jobs, " said("machines", "generate", "slots") " slots.")
    write_experiment("jobs", "Utility and number of jobs", "jobs", said("jobs", "generate", "machines") " machines, " said("jobs", "generate", "slots") " slots.")
    write_experiment("slots", "Utility and number of slots", "slots", said("slots", "generate", "machines") " machines, " said("slots", "generate", "jobs") " jobs; utilities fall with the delay in slots, whatever the horizon.")
    write_experiment("mix", "Utility and mix of utilities", "mix", generated("mix", "") ". Mixes: percent of jobs insensitive / sensitive / critical to delay, which are sigmoids of rising steepness.")
    write_rounding("delta", "Approximation ratio and delta", "delta", "delta is the failure probability that a rounding may have; G follows from it, above 1 where cover rows are favoured (the work gets done), below 1 where packing rows are (capacities hold). `scale=paper`: by the paper's closed form; without: by the sharper root of the same bound.")
    write_rounding("scale", "Approximation ratio and G", "G", "G, given, is what fractions are multiplied by before they are rounded. `trials`: draws for each rounding; `repair`: the best draw is altered until its rows hold, if none keeps them.")
}
