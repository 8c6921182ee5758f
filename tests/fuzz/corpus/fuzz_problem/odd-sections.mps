c* names with blanks, a constant, OBJSENSE, a loose MARKER, a D exponent, a range, a row that is dropped
NAME          two words
OBJSENSE
    MAX
ROWS
 N  profit
 L  cpu hour
 G  at least
 N  unused
 E  exact
COLUMNS
    MARKER                 'MARKER'                 'INTORG'
    job one   profit               3   cpu hour             2
    job one   unused               1
    job two   profit               2   cpu hour             1
    job two   at least             1
    MARKER                 'MARKER'                 'INTEND'
    rest      profit            -0.5   cpu hour             1
    rest      exact                1
    other     exact                1   profit          1.5D-1
    fixed     at least             1
RHS
    RHS       profit              -4   cpu hour            10
    RHS       at least             1   exact                3
RANGES
    RNG       at least             6
BOUNDS
 UP BND       job two              5
 MI BND       rest
 UP BND       rest                 8
 UP BND       other                7
 FX BND       fixed              1.5
ENDATA
