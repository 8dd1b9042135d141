package ui

import (
	"time"

	"forge/agent/budget"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// Amount says a number a budget counts for a person: "$4.20", "12.3k tokens",
// "3 turns", "12 m 05 s".
func Amount(k budget.Kind, n float64) string {
	switch k {
	case budget.Money:
		return ledger.Money(n)
	case budget.Tokens:
		return ledger.Tokens(int(n))
	case budget.Turns:
		return plural(int(n), "turn")
	}
	return seconds(time.Duration(n * float64(time.Second)).Round(time.Second))
}

// limitName says what a limit is for.
func limitName(s budget.Scope) string {
	if s == budget.Day {
		return lang.T("today")
	}
	return lang.T("this conversation")
}
