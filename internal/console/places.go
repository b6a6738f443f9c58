package console

// A wire is where a link runs on the map, whose picture is 960 x 540.
type wire struct {
	Link string
	D    string  // the line, as SVG has it
	X, Y float64 // middle of the plate that bears its figures
}

// wires are where links run. In this order of databases none crosses another.
var wires = []wire{
	{Link: "client-yugabyte", D: "M92 195C100 60 220 36 420 36S660 44 738 50", X: 444, Y: 38},
	{Link: "client-pgbouncer", D: "M152 235C222 226 276 150 346 144", X: 252, Y: 188},
	{Link: "client-primary", D: "M152 265L738 265", X: 444, Y: 265},
	{Link: "client-pgpool", D: "M152 295C222 304 276 380 346 386", X: 252, Y: 342},
	{Link: "client-standby", D: "M92 335C100 470 220 494 420 494S660 488 738 482", X: 444, Y: 494},
	{Link: "pgbouncer-yugabyte", D: "M536 122C600 116 660 94 738 86", X: 640, Y: 106},
	{Link: "pgbouncer-primary", D: "M536 168C610 176 660 224 738 234", X: 640, Y: 200},
	{Link: "pgpool-primary", D: "M536 362C610 354 660 306 738 296", X: 640, Y: 328},
	{Link: "pgpool-standby", D: "M536 408C600 414 660 436 738 444", X: 640, Y: 424},
	{Link: "primary-standby", D: "M844 319L844 398", X: 844, Y: 358},
}

// A place is where a box stands on the map.
type place struct {
	Node, Title         string
	X, Y, Width, Height float64
}

var places = []place{
	{Node: "client", Title: "client", X: 16, Y: 195, Width: 136, Height: 140},
	{Node: "pgbouncer", Title: "PgBouncer", X: 352, Y: 88, Width: 184, Height: 124},
	{Node: "pgpool", Title: "Pgpool-II", X: 352, Y: 318, Width: 184, Height: 124},
	{Node: "yugabyte", Title: "YugabyteDB", X: 744, Y: 14, Width: 204, Height: 118},
	{Node: "primary", Title: "primary", X: 744, Y: 195, Width: 204, Height: 124},
	{Node: "standby", Title: "standby", X: 744, Y: 404, Width: 204, Height: 124},
}
