package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"forge/lazy"
)

// Names under which Quirks remembers what is not a field of its own.
const (
	RoleDeveloper = "role.developer" // the role is not known: send system
	RoleSystem    = "role.system"    // a system message after the first is not accepted: send user
)

// Quirks is what was learned about one model at one endpoint: the fields it
// refuses and those it insists on. A wire asks before it encodes, and after a 400
// lets it learn and tries once more. It lives as long as its wire and is safe for
// goroutines; the zero value knows nothing.
//
// A field's name is its path without indices: "temperature",
// "output_config.effort". What stands inside messages, tools or system goes by
// its last name: "strict", "cache_control", "reasoning_content".
type Quirks struct {
	mu       sync.Mutex
	refused  map[string]bool
	required map[string]string
	allowed  map[string][]string
}

// Refused reports whether the server does not accept field.
func (q *Quirks) Refused(field string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.refused[field]
}

// Required returns the raw JSON the server insists on for field. An empty value
// with ok says that the field must be there in place of a refused one
// (max_completion_tokens for max_tokens), with the value that one had. For
// max_tokens and max_completion_tokens the value is the most the server accepts.
func (q *Quirks) Required(field string) (value string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	value, ok = q.required[field]
	return value, ok
}

// Value returns want, or where the server said which values it accepts for field
// (an effort, by name), the nearest of those.
func (q *Quirks) Value(field, want string) string {
	q.mu.Lock()
	allowed := q.allowed[field]
	q.mu.Unlock()
	if len(allowed) == 0 || slices.Contains(allowed, want) {
		return want
	}
	rank := func(s string) int { return slices.Index(Efforts(), Effort(s)) }
	best, at := want, rank(want)
	if at < 0 {
		return allowed[0]
	}
	gap := len(Efforts()) + 1
	for _, a := range allowed { // listed weakest first; of two as near, the weaker costs less
		if d := rank(a) - at; rank(a) >= 0 && max(d, -d) < gap {
			best, gap = a, max(d, -d)
		}
	}
	return best
}

// Learn takes in a refusal. changed says that something new is known, so that one
// corrected try makes sense; note tells a person in one line. It believes only
// Invalid errors: an overflow or a wrong key names fields too.
func (q *Quirks) Learn(e *Error) (changed bool, note string) {
	if e == nil || e.Kind != KindInvalid || e.Status == 404 || e.Status == 413 {
		return false, ""
	}
	for _, l := range lessons(e) {
		if q.take(l) {
			changed = true
			if note == "" {
				note = l.note
			}
		}
	}
	return changed, note
}

// lesson is one thing to remember.
type lesson struct {
	refuse  string
	require string
	value   string
	allow   []string // values for require, instead of value
	note    string
}

func (q *Quirks) take(l lesson) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refused == nil {
		q.refused, q.required, q.allowed = map[string]bool{}, map[string]string{}, map[string][]string{}
	}
	changed := false
	if l.refuse != "" && !q.refused[l.refuse] {
		q.refused[l.refuse] = true
		changed = true
	}
	if l.require == "" {
		return changed
	}
	if len(l.allow) > 0 {
		if !slices.Equal(q.allowed[l.require], l.allow) {
			q.allowed[l.require] = l.allow
			changed = true
		}
		return changed
	}
	if old, ok := q.required[l.require]; !ok || old != l.value {
		q.required[l.require] = l.value
		changed = true
	}
	return changed
}

var (
	useInstead  = lazy.Regexp{Expr: `(?i)(?:use|try) ['"` + "`" + `]?(max_(?:completion_)?tokens)['"` + "`" + `]? instead`}
	setTo       = lazy.Regexp{Expr: `(?i)set ['"` + "`" + `]?([\w.]+)['"` + "`" + `]? to ['"` + "`" + `]?([\w.-]+)`}
	useValue    = lazy.Regexp{Expr: "(?i)use [\"'`]thinking\\.type\\.(\\w+)"}
	supportedRE = lazy.Regexp{Expr: `(?i)(?:supported values are|must be one of|expected one of|input should be|valid values are|allowed values are|possible values are):? ?([^.;]*)`}
	quotedWord  = lazy.Regexp{Expr: "['\"`]([a-z]+)['\"`]"}
	levels      = lazy.Regexp{Expr: `does not support effort level .{0,20}supported levels(?: are)?: ?([a-z, '"]+)`}
	tokenCap    = lazy.Regexp{Expr: `(?i)max(?:_completion|_output)?_tokens:? ?\d+ > (\d+)|at most (\d+) (?:completion|output)? ?tokens|less than or equal to [` + "`" + `'"]?(\d+)|valid range of max_tokens is \[\d+, ?(\d+)\]|max_tokens.{0,40}(?:maximum|limit|max)(?: value)? (?:is|of) (\d+)`}
	oldThinking = lazy.Regexp{Expr: `(?i)reasoning_content.{0,80}(?:missing|must be passed back)|content\[\]\.thinking.{0,60}must be passed back`}
	boundBlock  = lazy.Regexp{Expr: `(?i)invalid .?signature.? in .?thinking.? block|bound to a different conversation`}
)

// lessons reads what a refusal teaches.
func lessons(e *Error) []lesson {
	msg := e.Message
	low := strings.ToLower(msg)
	switch {
	case boundBlock.Get().MatchString(msg):
		return []lesson{{require: "thinking.block_binding", value: `{"prefix_mismatch_behavior":"drop_block"}`,
			note: "the server holds earlier thinking to be from another conversation: it is told to drop it"}}
	case oldThinking.Get().MatchString(msg):
		value := `""`
		if strings.Contains(low, "missing") { // Moonshot refuses an empty one
			value = `"."`
		}
		return []lesson{{require: "reasoning_content", value: value, note: "the model wants its reasoning back with every tool call: forge sends it from now on"}}
	case strings.Contains(low, "max_tokens") || strings.Contains(low, "max_completion_tokens") || e.Field == "max_tokens":
		if l, ok := tokenLesson(msg); ok {
			return []lesson{l}
		}
	}
	if m := useValue.Get().FindStringSubmatch(msg); m != nil && strings.Contains(low, "thinking.type") {
		return []lesson{{refuse: "thinking.type." + oldType(low), require: "thinking.type", value: strconv.Quote(m[1]),
			note: "the model wants thinking of type " + m[1] + ": forge sends that from now on"}}
	}
	if m := setTo.Get().FindStringSubmatch(msg); m != nil && fieldKey(m[1]) != "" {
		v := strings.TrimRight(m[2], ".")
		raw := strconv.Quote(v)
		if v == "true" || v == "false" || v == "null" || isNumber(v) {
			raw = v
		}
		return []lesson{{require: fieldKey(m[1]), value: raw, note: fmt.Sprintf("the model wants %s set to %s: forge sends that from now on", m[1], v)}}
	}
	if strings.Contains(low, "developer") && (strings.Contains(low, "role") || strings.Contains(low, "unknown variant")) {
		return []lesson{{refuse: RoleDeveloper, note: "the server knows no developer role: forge sends system"}}
	}
	if strings.Contains(low, "role 'system' is not supported") || strings.Contains(low, "system message must be at the beginning") {
		return []lesson{{refuse: RoleSystem, note: "the model takes no system message in the middle: forge sends it as the user's"}}
	}
	if m := levels.Get().FindStringSubmatch(low); m != nil {
		allow := sortEfforts(m[1])
		note := "the model takes an effort of " + strings.Join(allow, ", ") + ": forge uses the nearest"
		return []lesson{{require: "output_config.effort", allow: allow, note: note}, {require: "reasoning_effort", allow: allow, note: note}}
	}
	return fieldLessons(e, low)
}

// sortEfforts reads a list of efforts in any order; the result is weakest first.
func sortEfforts(list string) []string {
	var out []string
	words := strings.FieldsFunc(list, func(r rune) bool { return r < 'a' || r > 'z' })
	for _, e := range Efforts() {
		if slices.Contains(words, string(e)) {
			out = append(out, string(e))
		}
	}
	return out
}

// tokenLesson reads the two complaints about the output limit: its name and its size.
func tokenLesson(msg string) (lesson, bool) {
	if m := useInstead.Get().FindStringSubmatch(msg); m != nil {
		old := "max_tokens"
		if strings.EqualFold(m[1], old) {
			old = "max_completion_tokens"
		}
		return lesson{refuse: old, require: strings.ToLower(m[1]), note: fmt.Sprintf("the server wants %s instead of %s: forge sends that from now on", m[1], old)}, true
	}
	if m := tokenCap.Get().FindStringSubmatch(msg); m != nil {
		for _, n := range m[1:] {
			if n == "" {
				continue
			}
			field := "max_tokens"
			if strings.Contains(msg, "max_completion_tokens") {
				field = "max_completion_tokens"
			}
			return lesson{require: field, value: n, note: fmt.Sprintf("the model writes at most %s tokens: forge asks for no more", n)}, true
		}
	}
	return lesson{}, false
}

// fieldLessons is for refusals that name a field and no more.
func fieldLessons(e *Error, low string) []lesson {
	key := fieldKey(e.Field)
	if key == "" {
		return nil
	}
	if m := supportedRE.Get().FindStringSubmatch(e.Message); m != nil {
		var values []string
		for _, q := range quotedWord.Get().FindAllStringSubmatch(m[1], -1) {
			values = append(values, q[1])
		}
		if strings.Contains(key, "effort") && len(values) > 0 {
			return []lesson{{require: key, allow: values, note: fmt.Sprintf("the model takes %s of %s: forge uses the nearest", key, strings.Join(values, ", "))}}
		}
	}
	if !complaint.Get().MatchString(low) && !strings.Contains(low, "only the default") {
		return nil // a value of ours is wrong, not the field
	}
	out := []lesson{{refuse: key, note: fmt.Sprintf("the server does not accept %s: forge leaves it out from now on", key)}}
	switch key { // models that fix one sampling field fix them all, and say so one 400 at a time
	case "temperature", "top_p", "top_k":
		for _, other := range []string{"temperature", "top_p", "top_k"} {
			if other != key {
				out = append(out, lesson{refuse: other})
			}
		}
	}
	return out
}

// essential fields cannot be left out, whatever a server says of them.
var essential = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return map[string]bool{
		"messages": true, "model": true, "tools": true, "stream": true, "system": true, "input": true, "content": true, "role": true, "function": true,
		"name": true, "type": true, "text": true, "id": true, "input_schema": true, "parameters": true, "tool_use": true, "tool_result": true, "custom": true,
		"tool_calls": true, "tool_call_id": true, "tool_use_id": true, "image_url": true, "image": true, "arguments": true,
	}
}}

// fieldKey is the name Quirks knows a path by, empty for what cannot be left out.
func fieldKey(path string) string {
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	var parts []string
	for _, p := range strings.Split(path, ".") {
		if p != "" && !isNumber(p) && p != "body" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	key := strings.Join(parts, ".")
	switch parts[0] {
	case "messages", "tools", "system", "message", "tool":
		key = parts[len(parts)-1]
		if i := slices.Index(parts, "cache_control"); i >= 0 { // cache_control.ephemeral.scope: the mark goes as a whole
			key = "cache_control"
		}
	case "stream_options", "cache_control":
		key = parts[0]
	}
	if essential.Get()[key] {
		return ""
	}
	return key
}

func oldType(low string) string {
	if strings.Contains(low, "thinking.type.disabled") {
		return "disabled"
	}
	return "enabled"
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
