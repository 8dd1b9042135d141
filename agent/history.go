package agent

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"forge/agent/session"
	"forge/provider"
)

// Cancelled answers the calls that a person's cancel cut short.
const Cancelled = "cancelled by the user"

// history is the one way a message gets into a conversation. It keeps one
// promise: every ToolUse is answered by exactly one ToolResult in the very next
// message, at every moment at which somebody else can see it. What would make a
// server refuse the whole conversation later is mended as it comes in.
type history struct {
	notify func(string) // tells a person that saving failed; may be nil

	mu      sync.Mutex
	ms      []provider.Message // as the model is to see them
	open    bool               // the last message has calls without answers
	log     []session.Record   // all that was said, for Replay
	ids     map[string]bool    // of every call there ever was
	session *session.Session
	owed    []session.Record // what makes a resumed session whole, to be saved before anything else
	shed    shed             // the records before log, which are on disk alone
	changed changed          // the files calls changed
	told    bool             // the person knows that saving fails
	model   session.Model    // the last one noted
}

// begin takes over a stored conversation: ms is what rs amounts to.
func (h *history) begin(s *session.Session, rs []session.Record, ms []provider.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session, h.ms, h.open, h.told = s, ms, false, false
	h.owed = session.Owed(rs)
	h.log = append(session.History(rs), h.owed...)
	h.ids = map[string]bool{}
	h.model = session.Model{}
	h.shed, h.changed = shed{}, changed{}
	for _, r := range rs {
		h.changed.note(r)
		if r.Model != nil {
			h.model = *r.Model
		}
		if r.Message == nil {
			continue
		}
		for _, u := range r.Message.ToolUses() {
			h.ids[u.ID] = true
		}
	}
}

func (h *history) view() []provider.Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	ms := h.ms[:len(h.ms):len(h.ms)]
	if h.open { // a view from another goroutine while calls run
		ms = session.Close(ms, session.Interrupted)
	}
	return ms
}

// sofar is the view with calls that run still open, for whoever only looks.
func (h *history) sofar() []provider.Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ms[:len(h.ms):len(h.ms)]
}

// prompt adds a person's message.
func (h *history) prompt(p Prompt, steer bool) {
	m := provider.Message{Role: provider.User}
	if p.Text != "" {
		m.Blocks = append(m.Blocks, provider.Typed(clean(p.Text)))
	}
	for _, img := range p.Images {
		m.Blocks = append(m.Blocks, checkImage(img))
	}
	if len(m.Blocks) == 0 {
		return
	}
	h.add(session.Record{Line: clean(p.Line), Message: &m, Steer: steer})
}

// answer adds a model's message and returns what was kept of it. A message that
// was cut off keeps its text and its sealed reasoning and asks for nothing; one
// that says nothing is not kept.
func (h *history) answer(m provider.Message, cost *float64) provider.Message {
	aborted, refused := m.Stop == provider.StopAborted, m.Stop == provider.StopRefusal
	var keep []provider.Block
	for i, b := range m.Blocks {
		switch b := b.(type) {
		case provider.ToolUse:
			if aborted || refused {
				continue
			}
			b.Name = cleanName(b.Name)
			keep = append(keep, b)
		case provider.Thinking:
			// The signature of the last block may itself be cut off.
			if aborted && (b.Signature == "" || i == len(m.Blocks)-1) {
				continue
			}
			keep = append(keep, b)
		case provider.Opaque:
			if !aborted {
				keep = append(keep, b)
			}
		default:
			keep = append(keep, b)
		}
	}
	m.Blocks = keep
	if !session.Empty(m) {
		h.add(session.Record{Message: &m, Cost: cost})
	}
	return m
}

// results answers the calls of the last message, all in one user message.
func (h *history) results(rs []provider.ToolResult, shown []session.Call) {
	m := provider.Message{Role: provider.User}
	for _, r := range rs {
		m.Blocks = append(m.Blocks, r)
	}
	h.add(session.Record{Message: &m, Calls: shown})
}

// close answers whatever is still open.
func (h *history) close(text string) {
	h.mu.Lock()
	open := h.open
	var m provider.Message
	if open {
		ms := session.Close(h.ms, text)
		m = ms[len(ms)-1]
	}
	h.mu.Unlock()
	if open {
		h.add(session.Record{Message: &m})
	}
}

// apply changes what the model sees of the history: a cut, a trim or a strip.
func (h *history) apply(r session.Record) {
	h.mu.Lock()
	switch {
	case r.Cut != nil:
		h.ms = r.Cut.Apply(h.ms)
	case r.Trim != nil:
		h.ms = r.Trim.Apply(h.ms)
	default:
		h.ms = r.Strip.Apply(h.ms)
	}
	h.mu.Unlock()
	h.note(r)
	if r.Cut != nil {
		h.unload()
	}
}

func (h *history) add(r session.Record) {
	h.mu.Lock()
	h.ms = append(h.ms, *r.Message)
	h.open = len(r.Message.ToolUses()) > 0
	h.mu.Unlock()
	h.note(r)
}

// note keeps a record. A session that cannot be saved is told once; the
// conversation goes on in memory.
func (h *history) note(r session.Record) {
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	if r.Time = time.Now().UTC(); s != nil {
		r.Time = s.Now()
	}
	h.mu.Lock()
	h.log = append(h.log, r)
	at := len(h.log) - 1
	h.changed.note(r)
	h.mu.Unlock()
	if s == nil {
		return
	}
	if r.Message != nil || r.Cut != nil || r.Strip != nil || r.Trim != nil || r.Undo != nil || r.Edit != nil || r.Pin != nil {
		h.pay()
	}
	seq, err := s.Add(r)
	h.mu.Lock()
	h.log[at].Seq = seq
	h.mu.Unlock()
	h.saved(err)
}

// pay saves what a resumed session owed.
func (h *history) pay() {
	h.mu.Lock()
	s, owed := h.session, h.owed
	h.owed = nil
	h.mu.Unlock()
	if s == nil {
		return
	}
	for _, o := range owed {
		h.saved(s.Append(o))
	}
}

func (h *history) saved(err error) {
	if err == nil {
		h.told = false
	} else if !h.told && h.notify != nil {
		h.told = true
		h.notify("not saved: " + err.Error() + "; the conversation goes on in memory")
	}
}

// answers notes which model answers from here on.
func (h *history) answers(m session.Model) {
	if m.ID != "" && m != h.model {
		h.model = m
		h.note(session.Record{Model: &m})
	}
}

// claim makes a call's ID unique in the session: servers number them per answer,
// and some give none.
func (h *history) claim(id string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id == "" || h.ids[id] {
		id = "call_" + strings.ToLower(rand.Text()[:16])
	}
	h.ids[id] = true
	return id
}

// cleanName keeps a name that no server refuses to take back.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 64)]
}

// clean replaces what servers refuse in a text: bytes that are not UTF-8, and NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// checkImage replaces a picture that no server would take by words: kept, it
// would make every later request fail.
func checkImage(img provider.Image) provider.Block {
	if b, err := base64.StdEncoding.DecodeString(img.Data); err != nil || len(b) == 0 {
		return provider.Text{Text: "[picture left out: it is not valid base64]"}
	}
	switch img.MIME {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return img
	}
	return provider.Text{Text: "[picture left out: models take PNG, JPEG, GIF and WebP, not " + clean(img.MIME) + "]"}
}
