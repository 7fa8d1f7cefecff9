# gnuplot figure.gp > figure.svg, in this folder: all angles of the runs with seed 0, one colour per start.
set terminal svg size 760,520 background rgb "white" font "sans,13"
set xlabel "step"
set ylabel "angle"
set xrange [0:625]
set yrange [-0.25:1.45]
set key off
set linetype 5 linecolor rgb "black"
set object 1 rectangle from 0,0.75 to 625,0.85 fillcolor rgb "#eeeeee" fillstyle solid noborder behind
set label 1 "π/4" at 631,pi/4
set arrow 1 from 0,pi/4 to 625,pi/4 nohead dashtype 2 linecolor rgb "#888888"
load "< python3 table.py curves 0"
plot for [start=0:6] for [column=2:12] $curves index start using 1:column with lines linewidth 1.2 linecolor start+1
