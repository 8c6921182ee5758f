f# As diet.mod, with its data in shop.dat.
set FOOD;
set NUTRIENT;
param cost{FOOD} >= 0;
param most{FOOD} >= 0;
param need{NUTRIENT} >= 0;
param has{NUTRIENT, FOOD} >= 0, default 0;
var buy{f in FOOD} >= 0, <= most[f], integer;
minimize total: sum{f in FOOD} cost[f] * buy[f] + 2;
s.t. enough{n in NUTRIENT}: sum{f in FOOD} has[n, f] * buy[f] >= need[n];
solve;
printf "cost %g\n", total;
display buy;
end;
