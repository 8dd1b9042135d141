package provider

import (
	"slices"
	"strings"

	"forge/lazy"
)

// fieldText finds the request field that a refusal names, in lower case; the
// group is the field. Most exact first.
var fieldText = []*lazy.Regexp{
	{Expr: `unsupported (?:parameter|value|field)s?:? ?['"` + "`" + `]([\w.\[\]-]+)`},
	{Expr: `unrecognized (?:request )?(?:arguments?|parameters?|fields?)(?: supplied)?:? ?['"` + "`" + `]?([\w.\[\]-]+)`},
	{Expr: `unknown (?:parameter|field|name|argument)s?:? ?\\?['"` + "`" + `]([\w.\[\]-]+)`},
	{Expr: `unrecognized keys?(?:\(s\))? in object: ['"` + "`" + `]?([\w.\[\]-]+)`},
	{Expr: `([\w.\[\]-]+): extra inputs are not permitted`},
	{Expr: `property ['"` + "`" + `]([\w.\[\]-]+)['"` + "`" + `] is (?:not supported|unsupported)`},
	{Expr: `additional properties are not allowed \(['"` + "`" + `]([\w.\[\]-]+)`},
	{Expr: `does not support (?:the )?(?:parameters?|fields?):? ?\[?['"` + "`" + `]?([\w.\[\]-]+)`},
	{Expr: `argument not supported(?: on this model)?: ['"` + "`" + `]?([\w.\[\]-]+)`},
	{Expr: `['"` + "`" + `]([\w.\[\]-]+)['"` + "`" + `] (?:is|are) (?:not supported|unsupported|not permitted|not allowed|deprecated|no longer supported)`},
	{Expr: `\b(?:role|roles) ['"` + "`" + `](\w+)['"` + "`" + `] is not supported`},
	{Expr: `(?:the |parameter )?\b([a-z]+_[a-z_]+) (?:is|are) (?:not supported|unsupported|not permitted|not allowed|deprecated|refused)`},
	{Expr: `with ([a-z_]+) are not supported`},
	{Expr: `does not support (?:this |the )?([a-z]+_[a-z_]+)`},
	{Expr: `invalid (?:value for |parameter:? )?['"` + "`" + `]([\w.\[\]-]+)`},
	{Expr: `(?:the |^)['"` + "`" + `]?([a-z]+_[a-z_]+)['"` + "`" + `]? in the thinking mode must be passed back`},
	{Expr: `([a-z]+_[a-z_]+) is missing in`},
	&leadingField,
}

// leadingField is the field a text begins with ("temperature: range: 0..1"). Many
// a text begins with another word and a colon, so it counts only if known.
var leadingField = lazy.Regexp{Expr: `^([a-z_]+(?:\.[\w]+)*): `}

// optionalFields are the fields a wire may send and can do without: the last
// resort where a text complains but quotes nothing.
var optionalFields = []string{
	"stream_options", "parallel_tool_calls", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_breakpoint", "prompt_cache_options",
	"reasoning_effort", "reasoning_content", "reasoning_details", "reasoning_split", "max_completion_tokens", "max_tokens", "temperature", "top_p", "top_k",
	"tool_choice", "tool_stream", "chat_template_kwargs", "enable_thinking", "thinking_budget", "cache_control", "output_config", "context_management",
	"disable_parallel_tool_use", "service_tier", "num_ctx", "metadata", "thinking", "reasoning", "strict", "store", "stop", "user",
}

var complaint = lazy.Regexp{Expr: `unsupported|not supported|unrecognized|unrecognised|unknown|extra inputs|not permitted|unexpected|not allowed|does not support|deprecated|invalid parameter|cannot be (?:set|used)|additional propert`}

// field is the request field a refusal names, as the server writes it; empty
// where it names none.
func (s saying) field() string {
	if s.param != "" && s.param != "null" {
		return s.param
	}
	for i, re := range fieldText {
		m := re.Get().FindStringSubmatch(s.all)
		if m == nil {
			continue
		}
		f := strings.Trim(m[1], ".")
		if first, _, _ := strings.Cut(f, "."); i == len(fieldText)-1 && !slices.Contains(optionalFields, first) && !essential.Get()[first] {
			continue
		}
		return snake(f)
	}
	if !complaint.Get().MatchString(s.all) {
		return ""
	}
	for _, f := range optionalFields {
		if at := strings.Index(s.all, f); at >= 0 && !wordByte(s.all, at-1) && !wordByte(s.all, at+len(f)) {
			return f
		}
	}
	return ""
}

// snake returns the wire's spelling of a field that a server names in its own
// (reasoningEffort, in lower case by now).
func snake(f string) string {
	for _, o := range optionalFields {
		if strings.ReplaceAll(o, "_", "") == f {
			return o
		}
	}
	return f
}

func wordByte(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}
