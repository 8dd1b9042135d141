package session

// Spent is all that the conversation took so far, sub-agents and compactions
// included, and how far its limits were raised; the newest record holds.
type Spent struct {
	Amount
	Raised *Amount `json:"raised,omitempty"`
}

// Amount is something spent.
type Amount struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int     `json:"tokens,omitempty"` // input and output
	Turns  int     `json:"turns,omitempty"`
	Millis int64   `json:"ms,omitempty"` // of work
}

// LastSpent is the newest record of what was spent; the zero value where there is
// none.
func LastSpent(rs []Record) Spent {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].Spent != nil {
			return *rs[i].Spent
		}
	}
	return Spent{}
}
