package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/lazy"
)

// WithKeyEnv names the variable a refused key came from in e's hint, and returns
// e. A wire that got its error from elsewhere than Post calls it.
func (e *Error) WithKeyEnv(name string) *Error {
	if e != nil && name != "" && e.Kind == KindAuth {
		e.Hint = strings.Replace(e.Hint, "the API key", name, 1)
	}
	return e
}

// hint is what a person can do next, on one line.
func hint(e *Error, s saying) string {
	has := func(texts ...string) bool {
		for _, t := range texts {
			if strings.Contains(s.all, t) {
				return true
			}
		}
		return false
	}
	switch e.Kind {
	case KindAuth:
		switch {
		case has("unsupported_country", "country, region", "location is not supported"):
			return "the provider does not serve this region: use another endpoint"
		case has("missing", "no auth", "no api key", "not provided", "didn't provide"):
			return "no key was sent: set the API key"
		case s.html && e.Status != 401: // a gateway's own page may be all there is to a wrong key
			return "a firewall or proxy refused the request: check the network and the base URL"
		case e.Status == 403:
			return "the key may not use this model: check the API key and its project"
		}
		return "key refused: check the API key"
	case KindQuota:
		if has("fewer max_tokens") {
			return "the credit left does not cover an answer this long: top up the account, or lower --max-tokens"
		}
		if has("valid credit card", "payment method") {
			return "the provider wants a payment method on file: add one, or use another endpoint"
		}
		if has("limit reached", "limit exhausted", "usage limit", "allowance", "monthly", "spending", "spend limit", "perday", "limit: 0,") {
			return "the plan's allowance is used up: wait for its reset, or use another endpoint"
		}
		return "no credit left: top up the account, or use another endpoint"
	case KindRate:
		if e.NoRetry {
			return "the request alone is larger than what a minute allows: use /compact, a larger plan, or another model"
		}
		if e.After > 0 {
			return "too many requests: the server asks to wait " + brief(e.After.Round(time.Second/10))
		}
		return "too many requests: wait a little, or use another model"
	case KindOverflow:
		switch {
		case has("max_tokens` exceed", "max_tokens exceed", "in the completion"):
			return "the conversation does not fit: lower --max-tokens, or use /compact"
		case s.empty:
			return "probably too long for the model (the server gave no reason): use /compact"
		case e.Window > 0:
			return fmt.Sprintf("the model takes %d tokens: use /compact, or a model with a larger window", e.Window)
		}
		return "the conversation does not fit the model's window: use /compact"
	case KindRefused:
		return "the provider's policy declined this: say it differently, or use another model"
	case KindNetwork:
		return "the proxy wants a login: check HTTPS_PROXY"
	case KindServer:
		switch {
		case s.html:
			return "a proxy or gateway answered: try again, check the base URL"
		case e.Status == 529 || has("overloaded"):
			return "the server is overloaded: wait a little, or use another model"
		case has("loading model"):
			return "the server is still loading the model: wait a little"
		}
		return "the server failed: try again, or use another model"
	}
	return invalidHint(e, s, has)
}

// invalidHint is for requests the server does not accept.
func invalidHint(e *Error, s saying, has func(...string) bool) string {
	switch {
	case has("--jinja"):
		return "llama.cpp: start the server with --jinja"
	case has("mmproj"):
		return "llama.cpp: start the server with --mmproj, or send no images"
	case has("does not support tools", "does not support function", "tool use is not supported", "no endpoints found that support tool", "tools are not supported",
		"tools is not supported", "`tool calling` is not supported", "tool calling is not supported",
		"auto\" tool choice requires", "enable-auto-tool-choice"):
		if has("enable-auto-tool-choice") {
			return "vLLM: start the server with --enable-auto-tool-choice and --tool-call-parser"
		}
		return "this model cannot call tools: choose one that can (forge models)"
	case has("try pulling it", "pull the model"), e.Status == 404 && has("ollama"):
		return "Ollama: run `ollama pull` for this model, or see forge models"
	case s.html && e.Status == 413:
		return "the request is larger than the server accepts: send fewer or smaller images"
	case s.html:
		return "a web page answered, not a model server: check the base URL (most end in /v1)"
	case has("requires more system memory"):
		return "Ollama: this machine has not the memory for the model: choose a smaller one"
	case has("data policy"):
		return "the account's privacy settings exclude every provider of this model: change them, or use another model"
	case has("support the provided 'tool_choice'"):
		return "no provider of this model takes the request's tool_choice: use another model"
	case has("tool_use_failed", "tool call validation failed", "failed to call a function"):
		return "the model wrote a tool call the server could not read: try again, or use another model"
	case has("deploymentnotfound", "deployment for this resource does not exist"):
		return "no deployment of that name: --model takes the deployment's name here"
	case isModelMissing(e, has):
		return "model not found: forge models lists what there is"
	case has("unknown variant `image_url`", "image input is not supported", "does not support image", "image_url is not supported", "unsupported image", "could not process image",
		"no endpoints found that support image"):
		return "this model cannot see images: send none, or use one that can"
	case e.Status == 413:
		return "the request is larger than the server accepts: send fewer or smaller images"
	case e.Status == 404, e.Status == 405:
		return "nothing answers at this address: check the base URL (most end in /v1)"
	case has("max_tokens or model output limit was reached"):
		return "the model had no room to answer: raise --max-tokens"
	case structural(s.all):
		return "the server does not accept the conversation as it stands: /compact or /new"
	case has("invalid schema", "input_schema", "strict tools", "optional parameters", "function_declarations", "schema is too complex", "union types"):
		return "the server does not accept a tool's schema: leave that tool out"
	case has("chat template", "jinja", "template"):
		return "the model's chat template cannot render this conversation: update the server or its template"
	case e.Field != "":
		return "the server does not accept " + e.Field + " as sent"
	}
	return "the server does not accept the request: --raw FILE shows what was sent"
}

// ModelMissing reports whether the server knows no model of the name it was asked for.
func (e *Error) ModelMissing() bool {
	said := strings.ToLower(e.Code + "\n" + e.Message)
	if e.Status == 404 && strings.HasPrefix(strings.ToLower(e.Message), "model:") { // the type beside it says that it is not found
		return true
	}
	return isModelMissing(e, func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
	})
}

func isModelMissing(e *Error, has func(...string) bool) bool {
	if has("model_not_found", "no endpoints found for", "not a chat model", "supported api model names", "model identifier is invalid", "end of its life", "alpha period for this model", "invalid_model", "is not a valid model", "model not found", "model not exist", "unknown model", "invalid model", "no such model", "not_found_error\nmodel") {
		return true
	}
	return has("model") && has("does not exist", "not found", "not_found", "no longer available", "no longer accessible", "is not available", "decommissioned")
}

// The complaints about the shape of a conversation: repairing the history once
// and sending it again may help, sending it again as it is never does.
var structuralText = lazy.Regexp{Expr: `tool_use.{0,80}tool_result|tool_call_id.{0,60}not found|role 'tool' must be a response|'tool_calls' must be followed by tool messages|` +
	"insufficient tool messages following|no tool output found for|text content blocks must be non-empty|must contain non-whitespace|roles must alternate|first message must use the user role|" +
	"tool_use.{0,3} ids must be unique|must not be empty|reasoning_content.{0,80}(missing|must be passed back)|content\\[\\]\\.thinking.{0,60}must be passed back|" +
	"invalid .{0,3}signature.{0,3} in .{0,3}thinking|thinking.{0,80}cannot be modified|missing a thought_signature|tool call id was .* must be a-z|" +
	"unexpected .{0,3}tool_use_id|expected .{0,3}thinking.{0,60}found"}

func structural(lower string) bool { return structuralText.Get().MatchString(lower) }

// Structural reports whether the server complains about the shape of the
// conversation: a use without result, an empty block, a signature that does not
// fit. The history may be repaired and sent once more.
func (e *Error) Structural() bool {
	return e.Kind == KindInvalid && structural(strings.ToLower(e.Message))
}

var imageText = lazy.Regexp{Expr: `unsupported image|could not process image|image_url|image input is not supported|does not support images?|media_type|support image|image.{0,40}(too large|exceed|larger than|invalid)|too many images|invalid image|mmproj`}

// AboutImages reports whether the server complains about an image. Without
// images the same request may be accepted.
func (e *Error) AboutImages() bool {
	return e.Kind == KindInvalid && (e.Status == 413 || imageText.Get().MatchString(strings.ToLower(e.Message)))
}
