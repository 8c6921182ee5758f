cNAME          bad
ROWS
 N  cost
 G  need
 L  room
COLUMNS
    x         cost                 3   need                 2
    x         room                 2
    y         cost                 1   need                 1
RHS
    RHS       need                 5   room                 9
BOUNDS
 UP BND       x                    4
 LO BND       x                    1
 FX BND       x                    2
ENDATA
