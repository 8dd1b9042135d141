package composer

// history walks through earlier prompts and keeps the draft it left.
type history struct {
	items []string // oldest first
	at    int      // len(items): the draft
	draft string
}

const maxHistory = 1000

func newHistory(items []string) history {
	if len(items) > maxHistory {
		items = items[len(items)-maxHistory:]
	}
	return history{items: append([]string(nil), items...), at: len(items)}
}

func (h *history) add(s string) {
	if n := len(h.items); n == 0 || h.items[n-1] != s {
		h.items = append(h.items, s)
	}
	if len(h.items) > maxHistory {
		h.items = h.items[1:]
	}
	h.leave()
}

func (h *history) leave() { h.at, h.draft = len(h.items), "" }

// older and newer return the text to show, and false at the end.
func (h *history) older(now string) (string, bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.items) {
		h.draft = now
	}
	h.at--
	return h.items[h.at], true
}

func (h *history) newer() (string, bool) {
	if h.at == len(h.items) {
		return "", false
	}
	h.at++
	if h.at == len(h.items) {
		return h.draft, true
	}
	return h.items[h.at], true
}
