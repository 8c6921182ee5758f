cNAME          CHIP
ROWS
 L ASSEMBLY
 L FINISHNG
 N INCOME  
COLUMNS
    P1        ASSEMBLY      1.0        FINISHNG    1.0
    P1      INCOME        -10.0
    P2        ASSEMBLY      2.0        FINISHNG    4.0
    P2      INCOME        -25.0
RHS
    RESOURCES ASSEMBLY     80.0        FINISHNG  120.0
ENDATA
