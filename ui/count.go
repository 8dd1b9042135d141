package ui

import "forge/ui/lang"

// plural is a count with its unit. The unit is one of those below: other languages
// have no plural in s.
func plural(n int, what string) string {
	one, many := units(what)
	if n == 1 {
		return lang.T(one)
	}
	return lang.T(many, n)
}

func units(what string) (one, many string) {
	switch what {
	case "call":
		return lang.N("1 call"), lang.N("%d calls")
	case "day":
		return lang.N("1 day"), lang.N("%d days")
	case "hour":
		return lang.N("1 hour"), lang.N("%d hours")
	case "image":
		return lang.N("1 image"), lang.N("%d images")
	case "line":
		return lang.N("1 line"), lang.N("%d lines")
	case "minute":
		return lang.N("1 minute"), lang.N("%d minutes")
	case "row":
		return lang.N("1 row"), lang.N("%d rows")
	case "step":
		return lang.N("1 step"), lang.N("%d steps")
	case "turn":
		return lang.N("1 turn"), lang.N("%d turns")
	}
	return "1 " + what, "%d " + what + "s" // in English alone
}
