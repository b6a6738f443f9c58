// Command k6 is k6 with the module k6/x/pg and the outputs live and lab.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "pooler-lab/k6/output"
	_ "pooler-lab/k6/pg"
)

func main() {
	cmd.Execute()
}
