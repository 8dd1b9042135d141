package session

import (
	"slices"
	"strings"
	"time"

	"forge/provider"
)

// kindEarly is the type of a record that holds results before their message.
const kindEarly = "result"

// Partial is more of an answer that is still being said. The pieces of one answer
// follow each other; New begins another one, and so does any message.
type Partial struct {
	New      bool   `json:"new,omitempty"`
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
}

// Asked is a question before the person, about the call ID or, without one, about
// the run. With an Answer it is settled.
type Asked struct {
	ID      string `json:"id,omitempty"`
	Title   string `json:"title,omitempty"` // what was to be allowed, or is asked, in a line
	Model   bool   `json:"model,omitempty"` // the model asks, by that call; nothing was to be allowed
	Command string `json:"command,omitempty"`
	Alone   bool   `json:"alone,omitempty"` // the calls behind it in its message wait for its end
	Answer  string `json:"answer,omitempty"`
}

// Queue is all that waits to be sent, the oldest first; the newest record holds.
type Queue struct {
	Prompts []string `json:"prompts"`
}

// End says that a run came to its end by itself or by the person's will.
type End struct {
	Why   string `json:"why"`             // one of the words below
	Error string `json:"error,omitempty"` // what the person was told of it
	Hint  string `json:"hint,omitempty"`  // what could be done about it
}

// tells reports whether a screen shows more of an end than that it came.
func (e *End) tells() bool { return e != nil && e.Why != EndDone }

// Why a run ended.
const (
	EndDone      = "done"
	EndCancelled = "cancelled"
	EndFailed    = "failed"
	EndLimit     = "limit"
)

// Left is what a conversation still had to do when its file ended.
type Left struct {
	Run      bool     // a run was on
	Text     string   // what the model had said of an answer that did not come to its end
	Thinking string   // and thought
	Asked    *Asked   // the question that nobody had answered
	Queue    []string // prompts nobody had sent yet
	Stopped  bool     // its last run was stopped, or failed, and nothing was sent since
	At       time.Time
}

// Anything reports whether there is something to go on with.
func (l Left) Anything() bool { return l.Run || len(l.Queue) > 0 }

// Unfinished looks what a crash cut short. A prompt that waited and was sent is
// waiting no more, whether or not there was time to note it.
func Unfinished(rs []Record) Left {
	var l Left
	var open []Asked
	var text, thinking strings.Builder
	for _, r := range rs {
		switch {
		case r.Message != nil:
			text.Reset()
			thinking.Reset()
			open = nil
			l.Stopped = false
			if r.Message.Role == provider.Assistant {
				l.Run = len(r.Message.ToolUses()) > 0 || r.Torn || r.Message.Stop == provider.StopAborted || r.Message.Stop == provider.StopPause
				break
			}
			l.Run = l.Run || r.Shell == nil && r.Note == nil
			if i := slices.Index(l.Queue, r.Message.PlainText()); i >= 0 {
				l.Queue = slices.Delete(l.Queue, i, i+1)
			}
		case r.Partial != nil:
			if r.Partial.New {
				text.Reset()
				thinking.Reset()
			}
			text.WriteString(r.Partial.Text)
			thinking.WriteString(r.Partial.Thinking)
		case r.Asked != nil && r.Asked.Answer != "":
			open = slices.DeleteFunc(open, func(a Asked) bool { return a.ID == r.Asked.ID })
		case r.Asked != nil:
			open = append(open, *r.Asked)
		case r.Queue != nil:
			l.Queue = slices.Clone(r.Queue.Prompts)
		case r.End != nil:
			text.Reset()
			thinking.Reset()
			l.Run, l.Stopped, open = false, r.End.tells(), nil
		}
		if !r.Time.IsZero() {
			l.At = r.Time
		}
	}
	l.Text, l.Thinking = text.String(), thinking.String()
	if n := len(open); n > 0 {
		l.Asked = &open[n-1]
	}
	return l
}

// Theirs returns the records that say in a copy that what is under way in rs, and what
// waits there, is another forge's. A conversation that had come to its end gets none.
func Theirs(rs []Record) (out []Record) {
	left := Unfinished(rs)
	if len(left.Queue) > 0 {
		out = append(out, Record{Queue: &Queue{}})
	}
	if left.Run {
		out = append(out, Record{End: &End{Why: EndCancelled}})
	}
	if spent := LastSpent(rs); spent.Open != nil {
		spent.Open = nil
		out = append(out, Record{Spent: &spent})
	}
	return out
}

// Owed returns the records that make the history of rs whole: the results of calls
// that were open, those that are known and for the others that they are not, and
// what had been said of an answer. They are to be appended before anything else is
// said; Messages has them already.
func Owed(rs []Record) []Record {
	var out []Record
	var last *provider.Message
	shown := map[string]Call{}
	for _, r := range rs {
		if r.Message != nil {
			last = r.Message
		}
		if r.Early != nil {
			for _, c := range r.Calls {
				shown[c.ID] = c
			}
		}
	}
	if last != nil && last.Role == provider.Assistant {
		m := provider.Message{Role: provider.User}
		var calls []Call
		came := early(rs)
		for _, u := range last.ToolUses() {
			m.Blocks = append(m.Blocks, came(u.ID))
			if c, ok := shown[u.ID]; ok {
				calls = append(calls, c)
			}
		}
		if len(m.Blocks) > 0 {
			out = append(out, Record{Message: &m, Calls: calls})
		}
	}
	if m, ok := torn(rs); ok {
		out = append(out, Record{Message: &m, Torn: true})
	}
	return out
}

// torn is what had been said of an answer when forge ended. It keeps its text and
// loses its reasoning, which nothing vouches for.
func torn(rs []Record) (provider.Message, bool) {
	text := Unfinished(rs).Text
	if strings.TrimSpace(text) == "" {
		return provider.Message{}, false
	}
	return provider.Message{Role: provider.Assistant, Stop: provider.StopAborted, Blocks: []provider.Block{provider.Text{Text: text}}}, true
}

// early finds what is known of a call that no message answers.
func early(rs []Record) func(id string) provider.ToolResult {
	var came map[string]provider.ToolResult
	for _, r := range rs {
		if r.Early == nil {
			continue
		}
		for _, b := range r.Early.Blocks {
			if b, ok := b.(provider.ToolResult); ok {
				if came == nil {
					came = map[string]provider.ToolResult{}
				}
				came[b.ID] = b
			}
		}
	}
	unknown, asked := answered(Interrupted), Unfinished(rs).Asked
	waiting := behind(rs, asked)
	return func(id string) provider.ToolResult {
		if asked != nil && asked.ID == id && asked.Model {
			return answered(NotAnswered)(id)
		}
		if asked != nil && asked.ID == id {
			return answered(NotRun)(id)
		}
		if r, ok := came[id]; ok {
			return r
		}
		if slices.Contains(waiting, id) {
			return answered(NotBegun)(id)
		}
		return unknown(id)
	}
}

// behind is the calls that waited for the one that was asked about.
func behind(rs []Record, asked *Asked) (ids []string) {
	if asked == nil || !asked.Alone {
		return nil
	}
	for _, r := range slices.Backward(rs) {
		if r.Message == nil || r.Message.Role != provider.Assistant {
			continue
		}
		found := false
		for _, u := range r.Message.ToolUses() {
			if found {
				ids = append(ids, u.ID)
			}
			found = found || u.ID == asked.ID
		}
		return ids
	}
	return nil
}

// answered answers every call with an error of these words.
func answered(text string) func(id string) provider.ToolResult {
	return func(id string) provider.ToolResult {
		return provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: text}}, IsError: true}
	}
}

// History leaves out the records that tell only what was under way. How a run ended
// is a part of it where it did not simply end.
func History(rs []Record) []Record {
	out := make([]Record, 0, len(rs))
	for _, r := range rs {
		if r.Message != nil || r.shortens() || r.Title != "" || r.Model != nil || r.Pin != nil || r.Goal != nil || r.End.tells() {
			out = append(out, r)
		}
	}
	return out
}
