package testdata

import (
	"fmt"

	"forge/ui/lang"
)

func counts(n int) []string {
	return []string{
		lang.T("about %d turns", n),
		fmt.Sprintf("there are %d more apples", n),
		lang.Count(n, "1 call", "%d calls"),
		lang.T("a request of %d bytes", n),
		lang.T("%d of %d done", n, n),
		fmt.Sprint("1 pear", fmt.Sprintf("%d pears", n)),
	}
}
