fset I := 1..3;
var x{i in I} >= 0;
minimize cost: sum{i in I} i * x[i];
s.t. need: sum{i in I} x[i] >= 2;
check: 1 > 2;
end;
