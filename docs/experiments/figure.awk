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
function colour(k) {
    return "lc rgb '" substr("#d55e00#0072b2#000000#cc79a7#009e73#56b4e9#e69f00", 7 * ((k - 1) % 7) + 1, 7) "'"
}
function style(k) {
    return colour(k) " pt " (substr("07050913060408", 2 * ((k - 1) % 7) + 1, 2) + 0) " ps 0.9" \
        (is_category() ? "" : " lw 2 dt " dash[(k - 1) % 7])
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
    printf "set ylabel '%s'\nset yrange [0:%s]\n%s\n", label, top, named ? "set key at screen 0.5,0.985 center top horizontal maxcols " (is_rounding ? 3 : 7) " samplen 4 width 1" : "unset key"
    write_plot(metric, named)
}

END {
    split("1 (8,4) 1 (10,4,2,4) (2,3) (5,3) (14,3,2,3,2,3)", dashes, " ")
    for (k = 1; k <= 7; k++) dash[k - 1] = dashes[k]
    x_label["machines"] = "machines"
    x_label["jobs"] = "jobs"
    x_label["slots"] = "slots of the horizon"
    x_label["mix"] = "percent of jobs insensitive / sensitive / critical to delay"
    x_label["delta"] = "delta: failure probability allowed to a rounding"
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
        if (experiment == "scale") print "set logscale x"
        low = point[1]
        high = point[n_points]
        if (experiment == "scale") printf "set xrange [%g:%g]\n", low / 1.15, high * 1.15
        else printf "set xrange [%g:%g]\n", low - 0.03 * (high - low), high + 0.03 * (high - low)
        printf "set xtics ("
        for (i = 1; i <= n_points; i++) printf "%s%s", (i > 1 ? ", " : ""), point[i]
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
