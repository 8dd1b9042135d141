package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestVendorsErrors holds what servers say when they decline, in their own
// shapes, against the kind of failure it is, the window it names and what a
// person is told to do.
func TestVendorsErrors(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   Kind
		window int
		hint   string
	}{
		{400, `{"message":"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}`, KindOverflow, 0, "the conversation does not fit the model's window: use /compact"},
		{400, `{"error_type":"TOO_MANY_TOKENS","message":"too many tokens: size limit exceeded by 25836 tokens. Try using shorter or fewer inputs. The limit for this model is 288000 tokens."}`, KindOverflow, 288000, "the model takes 288000 tokens: use /compact, or a model with a larger window"},
		{400, `{"error":{"message":"Trying to keep the first 6332 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input","type":null,"code":null}}`, KindOverflow, 4096, "the model takes 4096 tokens: use /compact, or a model with a larger window"},
		{500, `{"error":{"message":"Context size has been exceeded.","type":"server_error","code":500}}`, KindOverflow, 0, "the conversation does not fit the model's window: use /compact"},
		{400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, KindOverflow, 0, "the conversation does not fit the model's window: use /compact"},
		{422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 1000 `max_new_tokens`\",\"error_type\":\"validation\"}", KindOverflow, 8193, "the model takes 8193 tokens: use /compact, or a model with a larger window"},
		{422, "{\"error\":\"Input validation error: `inputs` must have less than 4096 tokens. Given: 5000\",\"error_type\":\"validation\"}", KindOverflow, 4096, "the model takes 4096 tokens: use /compact, or a model with a larger window"},
		{400, `{"error":{"message":"The prompt is too long: 140000, model maximum context length: 131071","type":"invalid_request_error","code":null}}`, KindOverflow, 131071, "the model takes 131071 tokens: use /compact, or a model with a larger window"},
		{400, `{"error":{"message":"prompt token count of 70000 exceeds the limit of 64000","type":null,"code":"model_max_prompt_tokens_exceeded"}}`, KindOverflow, 64000, "the model takes 64000 tokens: use /compact, or a model with a larger window"},
		{400, `{"error":{"message":"Conversation exceeds the model's context window","type":null,"code":null}}`, KindOverflow, 0, "the conversation does not fit the model's window: use /compact"},
		{400, `{"error":{"message":"Maximum context length exceeded","type":null,"code":null}}`, KindOverflow, 0, "the conversation does not fit the model's window: use /compact"},
		{400, `{"code":400,"message":"input exceeds max context length of the model"}`, KindOverflow, 0, "the conversation does not fit the model's window: use /compact"},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, KindInvalid, 0, "the request is larger than the server accepts: send fewer or smaller images"},
		{413, `{"error":{"message":"Request exceeds the maximum size of 100MB","type":"invalid_request_error","code":null}}`, KindInvalid, 0, "the request is larger than the server accepts: send fewer or smaller images"},
		{413, "{\"error\":{\"message\":\"Request too large for model `llama-3.1-8b-instant` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}", KindRate, 0, "the request alone is larger than what a minute allows: use /compact, a larger plan, or another model"},
		{429, `{"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`, KindRate, 0, "the request alone is larger than what a minute allows: use /compact, a larger plan, or another model"},
		{429, `{"error":{"message":"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 8.2s.","type":"tokens","code":"rate_limit_exceeded"}}`, KindRate, 0, "too many requests: the server asks to wait 8.2s"},
		{400, `{"error":{"message":"API key expired. Please renew the API key.","type":null,"code":400,"status":"INVALID_ARGUMENT"}}`, KindAuth, 0, "key refused: check the API key"},
		{400, `{"error":{"message":"User location is not supported for the API use.","type":null,"code":400,"status":"FAILED_PRECONDITION"}}`, KindAuth, 0, "the provider does not serve this region: use another endpoint"},
		{403, `{"error":{"message":"Generative Language API has not been used in project 123 before or it is disabled.","type":null,"code":403,"status":"PERMISSION_DENIED"}}`, KindAuth, 0, "the key may not use this model: check the API key and its project"},
		{401, `<html><head><title>401 Authorization Required</title></head><body><center><h1>401 Authorization Required</h1></center></body></html>`, KindAuth, 0, "key refused: check the API key"},
		{401, `{"error":{"code":"1000","message":"Authentication Failed"}}`, KindAuth, 0, "key refused: check the API key"},
		{401, `{"error":{"message":"Invalid Authentication","type":"invalid_authentication_error","code":null}}`, KindAuth, 0, "key refused: check the API key"},
		{401, `unauthorized: token expired
`, KindAuth, 0, "key refused: check the API key"},
		{401, `{"error":{"message":"User not found.","code":401}}`, KindAuth, 0, "key refused: check the API key"},
		{403, `{"error":"The API key is currently blocked: disabled","code":"The caller does not have permission to execute the specified operation"}`, KindAuth, 0, "the key may not use this model: check the API key and its project"},
		{401, `{"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired. Please obtain a new token or refresh your existing token."}}`, KindAuth, 0, "key refused: check the API key"},
		{402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, KindQuota, 0, "no credit left: top up the account, or use another endpoint"},
		{402, `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 4000. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account","code":402}}`, KindQuota, 0, "the credit left does not cover an answer this long: top up the account, or lower --max-tokens"},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, KindQuota, 0, "no credit left: top up the account, or use another endpoint"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`, KindQuota, 0, "no credit left: top up the account, or use another endpoint"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`, KindQuota, 0, "the plan's allowance is used up: wait for its reset, or use another endpoint"},
		{400, `{"error":{"message":"Access denied, please make sure your account is in good standing.","type":"Arrearage","param":null,"code":"Arrearage"}}`, KindQuota, 0, "no credit left: top up the account, or use another endpoint"},
		{403, `{"error":{"message":"AI Gateway requires a valid credit card on file to service requests.","type":"customer_verification_required"}}`, KindQuota, 0, "the provider wants a payment method on file: add one, or use another endpoint"},
		{429, `{"error":{"message":"Your account org-x <ak-x> is suspended due to insufficient balance, please recharge your account or check your plan and billing details","type":"exceeded_current_quota_error"}}`, KindQuota, 0, "no credit left: top up the account, or use another endpoint"},
		{429, `{"error":{"code":"1310","message":"Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-12-05 10:00:00"}}`, KindQuota, 0, "the plan's allowance is used up: wait for its reset, or use another endpoint"},
		{429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, KindQuota, 0, "no credit left: top up the account, or use another endpoint"},
		{429, `{"error":{"code":"1302","message":"High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits"}}`, KindRate, 0, "too many requests: wait a little, or use another model"},
		{429, `{"error":{"code":"1305","message":"The model is currently experiencing high traffic"}}`, KindRate, 0, "too many requests: wait a little, or use another model"},
		{403, `{"error":"Your team 123 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.","code":"The caller does not have permission to execute the specified operation"}`, KindQuota, 0, "the plan's allowance is used up: wait for its reset, or use another endpoint"},
		{402, `{"error":"You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO to get 20x more monthly included credits."}`, KindQuota, 0, "the plan's allowance is used up: wait for its reset, or use another endpoint"},
		{401, `{"error":{"message":"Your account is not active, please check your billing details on our website.","type":"billing_not_active","code":"billing_not_active"}}`, KindQuota, 0, "no credit left: top up the account, or use another endpoint"},
		{429, `{"error":{"message":"You have exceeded your premium request allowance","type":null,"code":"quota_exceeded"}}`, KindQuota, 0, "the plan's allowance is used up: wait for its reset, or use another endpoint"},
		{429, `{"error":{"message":"Requests rate limit exceeded, please try again later.","type":"rate_limit_error","code":"limit_requests"}}`, KindRate, 0, "too many requests: wait a little, or use another model"},
		{429, `{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error","code":null}}`, KindRate, 0, "too many requests: wait a little, or use another model"},
		{403, `{"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Team: x, API key ID: y, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO"}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"error":{"message":"Content Exists Risk","type":"invalid_request_error","code":"invalid_request_error"}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"error":{"code":"1301","message":"System detected potentially unsafe or sensitive content in input or generation."},"contentFilter":[{"level":1,"role":"user"}]}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"error":{"code":"1301","message":"The request was blocked by the safety audit"}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter","code":null}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"error":{"message":"Input data may contain inappropriate content.","type":"data_inspection_failed","code":"data_inspection_failed"}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"code":"DataInspectionFailed","message":"Input data may contain inappropriate content."}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt","type":"invalid_request_error","code":"invalid_prompt"}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{}}}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{400, `{"type":"error","error":{"type":"invalid_params","message":"invalid params, input new_sensitive (1026)"}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{403, `{"error":{"message":"Your chosen model requires moderation and your input was flagged for \"violence\"","code":403,"metadata":{"reasons":["violence"],"flagged_input":"x","provider_name":"OpenAI"}}}`, KindRefused, 0, "the provider's policy declined this: say it differently, or use another model"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, KindServer, 0, "the server is overloaded: wait a little, or use another model"},
		{500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, KindServer, 0, "the server failed: try again, or use another model"},
		{503, `{"error":{"message":"The model is overloaded. Please try again later.","type":null,"code":503,"status":"UNAVAILABLE"}}`, KindServer, 0, "the server is overloaded: wait a little, or use another model"},
		{503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, KindServer, 0, "the server is still loading the model: wait a little"},
		{408, `{"error":{"message":"Timed out","type":null,"code":null}}`, KindServer, 0, "the server failed: try again, or use another model"},
		{500, `{"error":{"message":"Internal Server Error","code":500}}`, KindServer, 0, "the server failed: try again, or use another model"},
		{502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream connect error","provider_name":"X"}}}`, KindServer, 0, "the server failed: try again, or use another model"},
		{400, `{"code":"Client specified an invalid argument","error":"Model grok-code-fast-1 does not support parameter reasoningEffort."}`, KindInvalid, 0, "the server does not accept reasoning_effort as sent"},
		{400, "{\"error\":{\"message\":\"`tool calling` is not supported with this model\",\"type\":\"invalid_request_error\",\"code\":null}}", KindInvalid, 0, "this model cannot call tools: choose one that can (forge models)"},
		{404, `{"error":{"message":"tools is not supported in this model. For a list of supported models, refer to https://platform.openai.com","type":null,"code":null}}`, KindInvalid, 0, "this model cannot call tools: choose one that can (forge models)"},
		{404, `{"error":{"message":"No endpoints found for deepseek/deepseek-v3-base:free.","type":null,"code":404}}`, KindInvalid, 0, "model not found: forge models lists what there is"},
		{404, `{"error":{"message":"No endpoints found matching your data policy (Free model publication). Configure: https://openrouter.ai/settings/privacy","type":null,"code":404}}`, KindInvalid, 0, "the account's privacy settings exclude every provider of this model: change them, or use another model"},
		{404, `{"error":"The model grok-beta was deprecated on 2025-09-15 and is no longer accessible via the API. Please use grok-3 instead.","code":"Some requested entity was not found"}`, KindInvalid, 0, "model not found: forge models lists what there is"},
		{400, `{"error":{"message":"The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed deepseek-v9.","type":"invalid_request_error","code":"invalid_request_error"}}`, KindInvalid, 0, "model not found: forge models lists what there is"},
		{404, `{"error":{"message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.","type":null,"code":"DeploymentNotFound"}}`, KindInvalid, 0, "no deployment of that name: --model takes the deployment's name here"},
		{400, `{"code":400,"message":"Validation: Temperature must be between 0 and 2, got 100","type":"Bad Request"}`, KindInvalid, 0, "the server does not accept the request: --raw FILE shows what was sent"},
		{500, `{"error":"model requires more system memory (8.4 GiB) than is available (5.1 GiB)"}`, KindInvalid, 0, "Ollama: this machine has not the memory for the model: choose a smaller one"},
		{400, `{"error":{"code":"tool_use_failed","failed_generation":"<function=x>","message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error"}}`, KindInvalid, 0, "the model wrote a tool call the server could not read: try again, or use another model"},
		{400, `{"error":{"message":"Unknown name \"foo\": Cannot find field.","type":null,"code":400,"status":"INVALID_ARGUMENT"}}`, KindInvalid, 0, "the server does not accept foo as sent"},
		{400, `{"error":{"message":"Function call is missing a thought_signature in functionCall parts.","type":null,"code":400}}`, KindInvalid, 0, "the server does not accept the conversation as it stands: /compact or /new"},
	} {
		e := Classify(c.status, http.Header{}, []byte(c.body))
		if e.Kind != c.kind || e.Window != c.window || e.Hint != c.hint {
			t.Errorf("%d %.120s\n got %s, window %d, %q\nwant %s, window %d, %q", c.status, c.body, e.Kind, e.Window, e.Hint, c.kind, c.window, c.hint)
		}
	}
}

// TestRequestLargerThanAMinute is not tried again: no wait makes it fit.
func TestRequestLargerThanAMinute(t *testing.T) {
	const words = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully."
	for _, status := range []int{413, 429} {
		if e := Classify(status, nil, []byte(`{"error":{"message":"`+words+`","code":"rate_limit_exceeded"}}`)); e.Kind != KindRate || e.Temporary() {
			t.Errorf("%d: %s, temporary %v", status, e.Kind, e.Temporary())
		}
	}
	if e := Classify(429, nil, []byte(`{"error":{"message":"Rate limit reached on tokens per min. Please try again in 8.2s."}}`)); !e.Temporary() || e.After != 8200*time.Millisecond {
		t.Errorf("%v after %v", e.Temporary(), e.After)
	}
}

// TestWaitBehindAGateway: OpenRouter puts the headers of the server behind it
// into the body.
func TestWaitBehindAGateway(t *testing.T) {
	h := http.Header{"Date": {"Tue, 07 Oct 2025 13:36:40 GMT"}}
	body := `{"error":{"message":"Rate limit exceeded: free-models-per-min. ","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1759844220000"}}}}`
	if e := Classify(429, h, []byte(body)); e.Kind != KindRate || e.After != 20*time.Second {
		t.Errorf("%s after %v", e.Kind, e.After)
	}
}

// TestStatusInWords: a gateway may put the status of the server behind it before
// its words, and give no code.
func TestStatusInWords(t *testing.T) {
	for words, want := range map[string]Kind{
		"Error code: 429 - {'message': 'slow down'}":         KindRate,
		"Error code: 401 - {'message': 'who are you'}":       KindAuth,
		"upstream error: 400 the request is not acceptable":  KindInvalid,
		"Error 503: try later":                               KindServer,
		"the tool of 400 lines failed in the model's answer": KindServer,
	} {
		if e := ClassifyStream("", "", words); e.Kind != want {
			t.Errorf("%s: %s, want %s", words, e.Kind, want)
		}
	}
}

// TestFieldsInOtherSpellings: a field is known by the wire's name, and a word
// before a colon is none.
func TestFieldsInOtherSpellings(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"Model grok-code-fast-1 does not support parameter reasoningEffort.","code":"Client specified an invalid argument"}`: "reasoning_effort",
		`{"message":"Validation: Temperature must be between 0 and 2, got 100","code":400}`:                                            "",
		`{"error":{"message":"litellm.BadRequestError: no"}}`:                                                                          "",
		`{"error":{"message":"temperature: range: 0..1"}}`:                                                                             "temperature",
	} {
		if e := Classify(400, nil, []byte(body)); e.Field != want {
			t.Errorf("%s: %q, want %q", body, e.Field, want)
		}
	}
}

// TestEffortLevels: a model that lists the efforts it takes is asked for the nearest.
func TestEffortLevels(t *testing.T) {
	var q Quirks
	e := Classify(400, nil, []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium."}}`))
	changed, note := q.Learn(e)
	if !changed || !strings.Contains(note, "low, medium, high, max") {
		t.Errorf("%v %q", changed, note)
	}
	if got := q.Value("output_config.effort", "xhigh"); got != "high" {
		t.Errorf("xhigh became %s", got)
	}
	if got := q.Value("output_config.effort", "none"); got != "low" {
		t.Errorf("none became %s", got)
	}
}

// TestGoogleQuotas: all of them are called a quota and name a wait; only that of a
// minute passes.
func TestGoogleQuotas(t *testing.T) {
	for id, c := range map[string]struct {
		limit string
		kind  Kind
	}{
		"GenerateContentPaidTierInputTokensPerModelPerMinute": {"1000000", KindRate},
		"GenerateRequestsPerDayPerProjectPerModel-FreeTier":   {"20", KindQuota},
		"GenerateRequestsPerMinutePerProjectPerModel":         {"0", KindQuota},
	} {
		e := Classify(429, nil, []byte(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: x, limit: `+c.limit+`, model: m\nPlease retry in 48.9s.",
			"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"`+id+`"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"48s"}]}}`))
		if e.Kind != c.kind || e.Temporary() != (c.kind == KindRate) {
			t.Errorf("%s: %s, temporary %v", id, e.Kind, e.Temporary())
		}
		if c.kind == KindQuota && !strings.Contains(e.Hint, "allowance") {
			t.Errorf("%s: %s", id, e.Hint)
		}
	}
}
