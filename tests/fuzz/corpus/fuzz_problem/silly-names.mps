cNAME          SILLY-NAMES
OBJSENSE MIN
ROWS
 G  R0
 N  COST
COLUMNS
    C0        R0           -1.0        COST       -1.0
    OBJSENSE  R0           -1.0        COST       -1.0
    RANGES    R0           -1.0        COST       -1.0
    RHS       R0           -1.0        COST       -1.0
    C1        R0           -1.0        COST       -1.0
RHS
    DEMANDS   R0           -1.0
ENDATA
