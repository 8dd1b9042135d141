package openai

import "strings"

// sampleMax bounds what is kept of a reply's text to look for a call written as
// text. Such a call is what the reply is about, so it comes early.
const sampleMax = 16 << 10

// sample is the beginning of a reply's text.
type sample struct{ text []byte }

func (s *sample) add(piece string) {
	if room := sampleMax - len(s.text); room > 0 {
		s.text = append(s.text, piece[:min(len(piece), room)]...)
	}
}

// The marks of calls that a server failed to turn into tool_calls.
var callMarks = []string{
	"<tool_call>", "<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<function=", "<function_calls>", "<|python_tag|>", "<tool_calls>",
	"[TOOL_CALLS]", "<｜tool▁calls▁begin｜>", "<minimax:tool_call>", "<|channel|>commentary to=functions.", "multi_tool_use.parallel", "to=functions.",
}

// callAsText returns a hint where the text holds a call that nobody will run. It
// is never run from the text: a page the model quotes could ask for anything.
func (s *sample) callAsText() string {
	text := string(s.text)
	for _, mark := range callMarks {
		i := strings.Index(text, mark)
		if i < 0 || i > 0 && strings.IndexByte("`'\"", text[i-1]) >= 0 || strings.Count(text[:i], "```")%2 == 1 {
			continue
		}
		return "the model wrote a tool call as text (" + mark + "…) and it was not run: the server's tool parser or chat template does not fit this model"
	}
	return ""
}
