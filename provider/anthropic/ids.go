package anthropic

import (
	"strconv"

	"forge/lazy"
	"forge/provider"
)

var goodID = lazy.Regexp{Expr: `^[a-zA-Z0-9_-]{1,64}$`}
var badIDByte = lazy.Regexp{Expr: `[^a-zA-Z0-9_-]`}

// ids gives every call of a request an id the wire accepts, no two the same. A
// call keeps the server's own id where that is possible; other servers' ids hold
// dots and colons and repeat, so that forge's own stands in for them. An id
// depends only on the calls before it: it never changes as the history grows.
type ids struct {
	used map[string]bool
	sent map[string]string // forge's id → the one sent, of the latest call
}

func newIDs() *ids { return &ids{used: map[string]bool{}, sent: map[string]string{}} }

// use returns the id to send for a call.
func (m *ids) use(u provider.ToolUse) string {
	id := u.WireID
	if !goodID.Get().MatchString(id) || m.used[id] {
		id = badIDByte.Get().ReplaceAllString(u.ID, "_")
		if id == "" {
			id = "call"
		}
		if len(id) > 48 {
			id = id[:48]
		}
	}
	for base, n := id, 2; m.used[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
	}
	m.used[id] = true
	m.sent[u.ID] = id
	return id
}

// result returns the id of the call that the result answers.
func (m *ids) result(id string) string { return m.sent[id] }
