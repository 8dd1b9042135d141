package anthropic

import (
	"errors"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"forge/lazy"
	"forge/provider"
)

// state is what an endpoint taught about one of its models. It is safe for
// goroutines.
type state struct {
	quirks provider.Quirks

	mu       sync.Mutex
	gone     map[uint64]bool // thinking that no longer fits its place, by signature
	manual   bool            // told that the model takes a budget only
	noImages bool            // told that the model sees no images
}

var seed = lazy.Value[maphash.Seed]{Of: func() maphash.Seed {
	return maphash.MakeSeed()
}}

// dropped reports whether a thinking block may not go back any more.
func (s *state) dropped(signature string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone[maphash.String(seed.Get(), signature)]
}

// knows reads a flag of the state.
func (s *state) knows(flag *bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *flag
}

// The patterns are compiled at their first use: what a server refuses is rare,
// starts are not.
var (
	noRoom = []*lazy.Regexp{ // groups: the input, the window
		{Expr: "input length and .?max_tokens.? exceed context limit: (?P<in>[0-9]+) \\+ [0-9]+ > (?P<window>[0-9]+)"},
		{Expr: `maximum context length (?:is|of) (?P<window>[0-9]+) tokens.*?requested [0-9]+ tokens \((?P<in>[0-9]+) in the (?:messages|prompt)`},
		{Expr: `maximum context length (?:is|of) (?P<window>[0-9]+) tokens.*?(?P<in>[0-9]+) (?:input tokens|tokens from the input)`},
	}
	boundThinking = lazy.Regexp{Expr: "(?i)invalid .?signature.? in .?thinking|bound to a different conversation|thinking.{0,60}blocks? in the latest assistant message cannot be modified|expected .?thinking.?(?: or .?redacted_thinking.?)?.{0,20}found"}
	noAdaptive    = lazy.Regexp{Expr: `(?i)adaptive.{0,60}(?:not supported|unsupported|not available)|thinking.{0,40}type.{0,60}expected.{0,40}enabled`}
	imageTrouble  = lazy.Regexp{Expr: "(?i)(?:image|image_url|vision|multimodal|media_type).{0,80}(?:not support|unsupported|unknown variant|could not process|invalid)|(?:not support|unsupported|unknown variant|could not process|invalid).{0,60}(?:image|vision|multimodal|media_type)"}
)

// leastRoom is the smallest answer worth asking for, in tokens; spareRoom allows
// for servers that count the request a little differently the second time.
const (
	leastRoom = 1_024
	spareRoom = 256
)

// correct looks for the cause of a refusal and mends it, in this request or in what
// is known of the model. It returns what it did, in one line for a person; "" says
// that another try would fail the same way. No correction is made twice.
func (e *encoder) correct(err error) string {
	var refusal *provider.Error
	if !errors.As(err, &refusal) {
		return ""
	}
	msg := refusal.Message
	if refusal.Kind == provider.KindOverflow {
		return e.lower(msg)
	}
	if refusal.Kind != provider.KindInvalid {
		return ""
	}
	if boundThinking.Get().MatchString(msg) {
		// Only models that bind thinking to its place know how to be told to drop it.
		if e.family.bound && e.official {
			if changed, note := e.quirks.Learn(refusal); changed {
				return note
			}
		}
		if e.dropThinking() {
			return "the server does not accept earlier reasoning any more: forge leaves it out and asks again"
		}
		return ""
	}
	if noAdaptive.Get().MatchString(msg) && e.family.think == adaptive && e.mend(&e.state.manual) {
		return "the model takes a thinking budget only: forge sends that from now on"
	}
	if (refusal.AboutImages() || imageTrouble.Get().MatchString(msg)) && e.hasImages() && e.mend(&e.state.noImages) {
		return "the model does not accept images: forge leaves them out from now on"
	}
	if changed, note := e.quirks.Learn(refusal); changed {
		return note
	}
	return ""
}

// mend sets a flag of the state and reports whether that is new.
func (e *encoder) mend(flag *bool) bool {
	e.state.mu.Lock()
	defer e.state.mu.Unlock()
	was := *flag
	*flag = true
	return !was
}

// lower makes max_tokens fit what the window leaves, where the refusal says what
// that is and the input alone would fit.
func (e *encoder) lower(msg string) string {
	if e.lowered > 0 {
		return ""
	}
	text := strings.ReplaceAll(strings.ToLower(msg), ",", "")
	for _, pattern := range noRoom {
		re := pattern.Get()
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		in, _ := strconv.Atoi(m[re.SubexpIndex("in")])
		window, _ := strconv.Atoi(m[re.SubexpIndex("window")])
		room := window - in - spareRoom
		if room < leastRoom {
			return ""
		}
		e.lowered = room
		return "the window has room for " + strconv.Itoa(room) + " more tokens: forge asks for a shorter answer"
	}
	return ""
}

// dropThinking marks every thinking block of this request as gone. Later blocks,
// which come from answers to the mended history, stay.
func (e *encoder) dropThinking() bool {
	_, turns := e.turns()
	e.state.mu.Lock()
	defer e.state.mu.Unlock()
	if e.state.gone == nil {
		e.state.gone = map[uint64]bool{}
	}
	changed := false
	for _, t := range turns {
		for _, b := range t.blocks {
			key := ""
			switch b := b.(type) {
			case provider.Thinking:
				key = b.Signature + b.Extra
			case provider.Opaque:
				if gjson.Get(b.JSON, "type").String() != "redacted_thinking" {
					continue
				}
				key = b.JSON
			}
			if key == "" {
				continue
			}
			h := maphash.String(seed.Get(), key)
			changed = changed || !e.state.gone[h]
			e.state.gone[h] = true
		}
	}
	return changed
}

func (e *encoder) hasImages() bool {
	for _, m := range e.req.Messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case provider.Image:
				return true
			case provider.ToolResult:
				for _, c := range b.Content {
					if _, ok := c.(provider.Image); ok {
						return true
					}
				}
			}
		}
	}
	return false
}
