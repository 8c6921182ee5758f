# A gnuplot script for the picture of one experiment, with its data in it.
# usage: awk -v experiment=NAME -f docs/experiments/figure.awk docs/experiments/NAME.csv
BEGIN { FS = "," }
FNR == 1 || $2 == "pdors:repair" { next } # this one explains another, in the text
{
    if (!($2 in position)) { position[$2] = ++n_series; series[n_series] = $2 }
    if (!($1 in place)) { place[$1] = ++n_points; point[n_points] = $1 }
    mean[$1, $2, $3] = $5
    half[$1, $2, $3] = $6
}

# What tells lines apart is shape and dash, not only colour; the colours are Okabe and Ito's, without the yellow.
# A policy has the same in all pictures: variants of pdors have what the other policies leave free.
function look(k,   i, variants) {
    if (!is_rounding) return k
    if (series[k] == "pdors-ci") return 2
    if (series[k] == "bidlp") return 3
    for (i = 1; i <= k; i++) variants += series[i] != "pdors-ci" && series[i] != "bidlp"
    return variants == 1 ? 1 : variants + 2
}
function colour(k) {
    return "lc rgb '" substr("#d55e00#0072b2#000000#cc79a7#009e73#56b4e9#e69f00", 7 * (look(k) - 1) + 1, 7) "'"
}
function style(k) {
    return colour(k) " pt " (substr("07050913060408", 2 * (look(k) - 1) + 1, 2) + 0) " ps 0.9" \
        (is_category() ? "" : " lw 2 dt " dash[look(k)])
}

# "pdors:favour=cover" is "pdors, favour cover" to a reader.
function title(name) {
    gsub(":", ", ", name)
    gsub("=", " ", name)
    return name
}

function is_category() { return experiment == "mix" }

function write_block(k, metric,   i, x, value) {
    printf "$%s_%d << END\n", metric, k
    for (i = 1; i <= n_points; i++) {
        x = point[i]
        value = mean[x, series[k], metric]
        if (value == "") continue
        print is_category() ? i + (k - (n_series + 1) / 2) * 0.1 : x, value, half[x, series[k], metric] == "" ? 0 : half[x, series[k], metric]
    }
    print "END"
}

function shown(k, metric,   i) {
    for (i = 1; i <= n_points; i++) if (mean[point[i], series[k], metric] != "") return 1
    return 0
}

function write_plot(metric, named,   k, between) {
    printf "plot "
    between = ""
    for (k = 1; k <= n_series; k++) {
        if (!shown(k, metric)) continue
        printf "%s$%s_%d using 1:2:3 with yerrorbars %s pt 0 lw 1 dt 1 notitle, \\\n     ", between, metric, k, colour(k)
        printf "$%s_%d using 1:2 with %s %s %s", metric, k, (is_category() ? "points" : "linespoints"),
            style(k), (named ? "title '" title(series[k]) "'" : "notitle")
        between = ", \\\n     "
    }
    print ""
}

function panel(metric, label, top, named) {
    printf "set ylabel '%s'\nset yrange [0:%s]\n%s\n", label, top, named ? "set key at screen 0.5,0.985 center top " (is_rounding ? "vertical maxrows 3" : "horizontal maxcols 7") " samplen 4 width 1" : "unset key"
    write_plot(metric, named)
}

END {
    split("1 (8,4) 1 (10,4,2,4) (2,3) (5,3) (14,3,2,3,2,3)", dashes, " ")
    for (k = 1; k <= 7; k++) dash[k] = dashes[k]
    x_label["machines"] = "machines"
    x_label["jobs"] = "jobs"
    x_label["slots"] = "slots of the horizon"
    x_label["mix"] = "percent of jobs insensitive / sensitive / critical to delay"
    x_label["delta"] = "delta: failure probability allowed to a rounding (logarithmic)"
    x_label["scale"] = "G: factor on fractions before rounding (logarithmic)"
    is_rounding = experiment == "delta" || experiment == "scale"
    for (k = 1; k <= n_series; k++) {
        write_block(k, is_rounding ? "drawn" : "utility")
        write_block(k, "of_bound")
    }
    print "set terminal svg size 1080,480 font 'sans,13' background rgb 'white' name 'figure'"
    print "set multiplot layout 1,2 margins 0.075,0.985,0.14,0.86 spacing 0.085"
    print "set border 3 lc rgb '#444444'\nset tics nomirror\nset grid y lc rgb '#dddddd' lw 1"
    print "set xlabel '" x_label[experiment] "'"
    if (is_category()) {
        printf "set xrange [0.5:%g]\nset xtics (", n_points + 0.5
        for (i = 1; i <= n_points; i++) printf "%s'%s' %d", (i > 1 ? ", " : ""), point[i], i
        print ")"
    } else {
        low = is_rounding ? log(point[1]) : point[1]
        high = is_rounding ? log(point[n_points]) : point[n_points]
        room = 0.03 * (high - low)
        if (is_rounding) print "set logscale x"
        printf "set xrange [%.6g:%.6g]\nset xtics (", is_rounding ? exp(low - room) : low - room, is_rounding ? exp(high + room) : high + room
        last = 2 * low - high
        for (i = 1; i <= n_points; i++) {
            x = is_rounding ? log(point[i]) : point[i]
            # a label needs room, a tic does not
            near = x - last < 0.06 * (high - low)
            if (!near) last = x
            printf "%s%s%s", (i > 1 ? ", " : ""), (near ? "'' " : ""), point[i]
        }
        print ")"
    }
    if (is_rounding) {
        panel("of_bound", "utility / LP bound", "1.0", 1)
        panel("drawn", "share of roundings for which a draw kept all rows", "1.0", 0)
    } else {
        panel("utility", "utility earned, sum over jobs", "*", 1)
        panel("of_bound", "utility / LP bound", "1.02", 0)
    }
}
