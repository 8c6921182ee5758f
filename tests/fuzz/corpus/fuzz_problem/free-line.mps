cNAME bad
ROWS
 N cost
 G a_long_row_name
COLUMNS
 a_long_name cost 3 a_long_row_name 2
 other a_long_row_name two
ENDATA
