package session

// Spent is all that the conversation took so far, sub-agents and compactions
// included, and how far its limits were raised; the newest record holds.
type Spent struct {
	Amount
	Raised *Amount `json:"raised,omitempty"`
	Open   *Amount `json:"open,omitempty"` // what the requests that were on were thought to take
}

// Amount is something spent.
type Amount struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int     `json:"tokens,omitempty"` // input and output
	Turns  int     `json:"turns,omitempty"`
	Millis int64   `json:"ms,omitempty"` // of work
}

// LastSpent is the newest record of what was spent; the zero value where there is
// none. The work that was done since, as far as the records tell, is in Open.
func LastSpent(rs []Record) Spent {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].Spent == nil {
			continue
		}
		s := *rs[i].Spent
		if s.Open != nil {
			open := *s.Open
			open.Millis += max(0, rs[len(rs)-1].Time.Sub(rs[i].Time).Milliseconds())
			s.Open = &open
		}
		return s
	}
	return Spent{}
}
