fset I := 1..3;
var x{i in I} >= 0;
minimize cost: sum{i in I} i * x[i];
s.t. need: "open