package provider

import (
	"net/http"
	"strconv"
	"strings"

	"forge/lazy"
)

// Classify turns a reply that is not 2xx into an *Error: what kind of failure it
// is, the server's words on one line without keys, what a person can do next,
// and what a program can use (wait, field, window). It never returns nil, however
// odd the body: servers answer with objects, arrays, strings, JSON inside
// strings, HTML and nothing.
func Classify(status int, header http.Header, body []byte) *Error {
	s := said(body)
	e := &Error{Status: status, Code: s.code, Field: s.field()}
	e.Message = oneLine(Redact(s.message))
	if e.Message == "" {
		e.Message = statusText(status)
	}
	e.Kind = kindOf(status, s)
	if e.Kind == KindOverflow {
		e.Window = s.window()
	}
	if e.Kind == KindRate || e.Kind == KindServer {
		e.After = s.after(header)
	}
	switch strings.ToLower(header.Get("X-Should-Retry")) {
	case "false":
		e.NoRetry = true
	case "true": // the server knows better than a status code, but a retry mends no key and no size
		if e.Kind == KindInvalid {
			e.Kind = KindServer
		}
	}
	if e.Kind == KindRate && tooLarge.Get().MatchString(s.all) {
		e.NoRetry = true // however long one waits, it will not fit
	}
	e.Hint = hint(e, s)
	return e
}

// ClassifyStream turns an error that came inside a 200 stream into an *Error.
// code and typ are the server's, either may be empty or a number; a bare finish
// reason such as "network_error" goes into code. What names no known cause is the
// server's failure: the request was accepted, so trying again makes sense.
func ClassifyStream(code, typ, message string) *Error {
	s := saying{code: code, typ: typ, message: message}
	if nested := said([]byte(message)); nested.structured {
		s.message, s.nCtx, s.header, s.param = nested.message, nested.nCtx, nested.header, nested.param
		s.extra = nested.extra
		if s.code == "" {
			s.code = nested.code
		}
		if s.typ == "" {
			s.typ = nested.typ
		}
	}
	s.join()
	status, _ := strconv.Atoi(s.code)
	if status < 400 || status > 599 {
		status = statusIn(s.message)
	}
	e := &Error{Code: s.code, Field: s.field(), Message: oneLine(Redact(s.message))}
	if e.Code == "" {
		e.Code = s.typ
	}
	if e.Message == "" {
		e.Message = strings.TrimSpace("the stream ended with an error: " + e.Code)
	}
	e.Kind = kindOf(status, s)
	if e.Kind == KindOverflow {
		e.Window = s.window()
	}
	if e.Kind == KindRate || e.Kind == KindServer {
		e.After = s.after(nil)
	}
	e.Hint = hint(e, s)
	return e
}

// statusIn finds the status a gateway puts before the words it passes on, as in
// "Error code: 429 - …"; 0 for none.
func statusIn(message string) int {
	m := statusWords.Get().FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

var statusWords = lazy.Regexp{Expr: `(?i)^[^{]{0,60}?\b(?:error|status)(?: code)?:? ?([45]\d\d)\b`}

// Texts by which servers say what they mean where status and code do not. All
// are matched against lower case.
var (
	overflowText = lazy.Regexp{Expr: `prompt is too long|input length and .?max_tokens.? exceed context limit|input is too long for requested model|` +
		`context_length_exceeded|context_window_exceeded|exceeds the context window|input tokens exceed the configured limit of \d+|` +
		`maximum context length (is|of) \d+|reduce the length of (the messages|either one|the input|your)|input token count.*exceeds the maximum|` +
		`maximum prompt length is \d+|exceeds the limit of \d+|exceeds? the available context size|exceed_context_size_error|` +
		`greater than the context length|context window exceeds limit|exceeded model token limit|too large for model with \d+ maximum context length|` +
		`range of input length should be \[\d+, ?\d+\]|input too long: \d+ input tokens|prompt too long; exceeded max context length|` +
		`too_many_prompt_tokens|total length of all messages is too long|model_context_window_exceeded|tokens in request more than max tokens allowed|` +
		`longer than the model's context length|configured context size is|token limit exceeded|maximum (allowed )?input length|` +
		`exceed(s|ed|ing)? (the |your |its |our )?(model's |model |maximum |max |allowed )*(context|prompt|input)[ _](length|window|size|limit)|` +
		`(context|prompt)[ _](length|window|size) (has been |was |is )?exceeded|` +
		`number of input tokens exceeds|too many tokens: size limit exceeded|prompt exceeds max length|when context the overflows|` +
		`context length of only \d+ tokens|max_new_tokens.? must be <=|inputs.? must have less than \d+ tokens`}
	// What is larger than a whole minute's allowance.
	tooLarge = lazy.Regexp{Expr: `request too large|tokens must be reduced|reduce your message size`}

	overflowVeto = lazy.Regexp{Expr: `rate.?limit|per minute|per day|\btpm\b|\brpm\b|throttl`}

	quotaText = lazy.Regexp{Expr: `insufficient[ _]quota|exceeded_current_quota|insufficient[ _](account )?(balance|credits?|funds)|balance is (too low|insufficient)|` +
		`credit balance|exceeded your (current|monthly|monthly included) (quota|credits)|usage limit reached|usage_limit_reached|billing|payment required|` +
		`out of (credits|quota)|no (more )?(credits|balance)\b|requires more credits|spend(ing)? limit|\[1308\]|\[1113\]|account.{0,20}(suspended|overdue|arrears)|prepayment|` +
		`(specified|your) (api )?usage limits?|limit exhausted|arrearage|account is in good standing|valid credit card|add a (credit card|payment method)|request allowance`}
	quotaCode = lazy.Regexp{Expr: `^(1308|1309|1310|1113|arrearage|quota_exceeded|insufficient_quota|exceeded_current_quota_error|billing_error|insufficient_balance|usage_limit_reached|billing_hard_limit_reached|402)$`}

	authText = lazy.Regexp{Expr: `invalid[ _-](x-)?api[ _-]?key|invalid_api_key|incorrect api key|api key not valid|api_key_invalid|authentication_error|authentication fails|` +
		`missing (authentication|api key)|no (auth credentials|api key)|unauthori[sz]ed|permission_error|permission_denied|invalid token|token (is |has )?expired|api key (is |has )?expired|login fail|unsupported_country|location is not supported`}

	rateText = lazy.Regexp{Expr: `rate[ _-]?limit|too many requests|too_many_requests|resource_exhausted|throttl|per minute|\btpm\b|\brpm\b|concurrency limit|rate increased too quickly|limit_burst_rate|engine_overloaded_error.*rate`}

	refusedText = lazy.Regexp{Expr: `content_filter|content filter|content_policy|content policy|content management policy|responsibleaipolicy|data_inspection_failed|` +
		`flagged (by|as|for)|requires moderation|reasoning_extraction|\bsensitive\b|new_sensitive|violates? (our|the) .{0,30}polic|violates? usage guidelines|safety (system|polic|filter|audit)|` +
		`datainspectionfailed|inappropriate content|content exists risk|considered high risk|prohibited_content`}
	refusedCode = lazy.Regexp{Expr: `^(1301|1026|1027|content_filter)$`}

	// Faults of the request that some servers report as 500.
	invalidText = lazy.Regexp{Expr: `--jinja|image input is not supported|mmproj|does not support (tools|images|image)|support for tool|unknown variant|` +
		`system message must be at the beginning|cannot pass both content and thinking|roles must alternate|conversation roles|` +
		`jinja|chat template|template (error|parsing)|raise_exception|assistant response prefill|2 or more assistant messages|` +
		`failed to parse (grammar|tool|messages)|invalid schema|json schema conversion|unable to generate parser|requires more system memory`}
	invalidType = lazy.Regexp{Expr: `invalid_request|invalid_parameter|bad_?request|not_found|validation|unprocessable|invalid[ _-]argument|request_too_large`}

	serverType = lazy.Regexp{Expr: `overloaded|api_error|server_error|internal|timeout|unavailable|network_error|insufficient_system_resource|bad_gateway`}
)

// kindOf sorts a failure. The order is the point: an overflow is told apart
// before the status is looked at, a quota before a rate limit, a broken request
// before a broken server.
func kindOf(status int, s saying) Kind {
	limited := status == 429 || overflowVeto.Get().MatchString(s.all)
	switch {
	case overflowText.Get().MatchString(s.all) && !limited:
		return KindOverflow
	case (status == 413 || status == 400) && s.empty && !s.html:
		return KindOverflow // Cerebras says it with no body at all
	case status == 413 && limited:
		return KindRate // Groq: the request alone is more than a minute's allowance
	case status == 413 && strings.Contains(s.all, "token"):
		return KindOverflow // Vertex
	case status == 402, quotaCode.Get().MatchString(s.lowCode), quotaCode.Get().MatchString(s.lowType):
		return KindQuota
	case quotaText.Get().MatchString(s.all) && status < 500:
		// Google calls a limit per minute a quota, but says when to come back. It says
		// so of a day's limit too, and of a model that the plan has not at all.
		if limited && s.wait() > 0 && !strings.Contains(s.all, "perday") && !strings.Contains(s.all, "limit: 0,") {
			return KindRate
		}
		return KindQuota
	case status == 407:
		return KindNetwork
	case status == 401:
		return KindAuth
	case (refusedText.Get().MatchString(s.all) || refusedCode.Get().MatchString(s.lowCode)) && (status == 0 || status >= 400 && status < 500):
		return KindRefused
	case status == 403:
		return KindAuth
	case status == 429:
		return KindRate
	case status < 500 && status != 404 && status != 408 && authText.Get().MatchString(s.all):
		return KindAuth
	case status == 408, status == 409, status == 425:
		return KindServer
	case status >= 500:
		if status == 501 || invalidText.Get().MatchString(s.all) {
			return KindInvalid
		}
		if status == 503 && rateText.Get().MatchString(s.all) {
			return KindRate
		}
		return KindServer
	case status >= 300:
		return KindInvalid
	case rateText.Get().MatchString(s.all): // from here on: inside a 200 stream
		return KindRate
	case serverType.Get().MatchString(s.lowType), serverType.Get().MatchString(s.lowCode):
		return KindServer
	case invalidType.Get().MatchString(s.lowType), invalidType.Get().MatchString(s.lowCode), invalidText.Get().MatchString(s.all):
		return KindInvalid
	}
	return KindServer
}

func statusText(status int) string {
	switch {
	case status == 529: // Anthropic's own
		return "overloaded"
	case http.StatusText(status) != "":
		return strings.ToLower(http.StatusText(status)) + ", with no explanation"
	}
	return "no explanation"
}
