fset I := 1..3;
param c{I};
table t IN "CSV" "/etc/passwd": I <- [i], c;
var x{i in I} >= 0;
minimize cost: sum{i in I} i * x[i];
s.t. need: sum{i in I} x[i] >= 2;
end;
