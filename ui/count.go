package ui

import (
	"fmt"

	"forge/ui/lang"
)

// plural is a count with its unit. The unit is one of those below: other languages
// have no plural in s.
func plural(n int, what string) string {
	switch what {
	case "call":
		return lang.Count(n, "1 call", "%d calls")
	case "character":
		return lang.Count(n, "1 character", "%d characters")
	case "day":
		return lang.Count(n, "1 day", "%d days")
	case "hour":
		return lang.Count(n, "1 hour", "%d hours")
	case "image":
		return lang.Count(n, "1 image", "%d images")
	case "line":
		return lang.Count(n, "1 line", "%d lines")
	case "minute":
		return lang.Count(n, "1 minute", "%d minutes")
	case "row":
		return lang.Count(n, "1 row", "%d rows")
	case "step":
		return lang.Count(n, "1 step", "%d steps")
	case "turn":
		return lang.Count(n, "1 turn", "%d turns")
	}
	return fmt.Sprint(n, " ", what) // in English alone
}
