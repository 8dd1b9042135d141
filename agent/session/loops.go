package session

import "time"

// Loops are the prompts that were sent again and again while the conversation was open. The
// newest record holds. They are no history: nothing sends them before the person says so.
type Loops struct {
	List []Loop `json:"list"`
}

// Loop is one of them.
type Loop struct {
	N       int       `json:"n"`
	Seconds int       `json:"seconds"` // from one time to the next
	Prompt  string    `json:"prompt"`
	Until   time.Time `json:"until"` // when it would have ended by itself
}

// LastLoops are those of a conversation as they were last.
func LastLoops(records []Record) (list []Loop) {
	for _, r := range records {
		if r.Loops != nil {
			list = r.Loops.List
		}
	}
	return list
}
