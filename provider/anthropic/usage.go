package anthropic

import (
	"github.com/tidwall/gjson"

	"forge/provider"
)

// usage gathers the token counts of one reply. message_start gives a first guess,
// message_delta corrects it (server tools, gateways and several clones send zeros
// or null first), so the last value that is not null counts, key by key.
type usage struct {
	reported bool
	in, out  int
	read     int // from the cache; not part of in
	write    int // to the cache; not part of in
	thinking int
	cost     float64

	hasIn, hasOut      bool
	prompt, completion int // the other wire's names, which some clones send alone
	first              int // the input of the first round, as message_start gave it
	last               int // the input of the last round, where rounds are listed
}

func (u *usage) merge(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	fresh := !u.reported
	var split int
	v.ForEach(func(k, v gjson.Result) bool {
		if v.Type == gjson.Null {
			return true
		}
		n := max(0, int(v.Float())) // some write numbers as strings
		switch k.Str {
		case "input_tokens":
			u.in, u.hasIn = n, true
		case "output_tokens":
			u.out, u.hasOut = n, true
		case "cache_read_input_tokens":
			u.read = n
		case "cache_creation_input_tokens":
			u.write = n
		case "cache_creation":
			split = int(v.Get("ephemeral_5m_input_tokens").Int() + v.Get("ephemeral_1h_input_tokens").Int())
			return true
		case "output_tokens_details":
			u.thinking = int(v.Get("thinking_tokens").Int())
		case "prompt_tokens":
			u.prompt = n
		case "completion_tokens":
			u.completion = n
		case "cost":
			u.cost = v.Num
		case "iterations":
			v.ForEach(func(_, it gjson.Result) bool {
				u.last = int(it.Get("input_tokens").Int() + it.Get("cache_read_input_tokens").Int() +
					it.Get("cache_creation_input_tokens").Int())
				return true
			})
			return true
		default:
			return true
		}
		u.reported = true
		return true
	})
	if u.write == 0 {
		u.write = max(0, split)
	}
	if fresh {
		u.first = u.in + u.read + u.write
	}
}

// total is the usage in forge's terms. The wire's input excludes the cache,
// forge's includes it. rounds says that tools ran on the server: input is then a
// sum over several readings of the context and says nothing of its size, so that
// Context carries the last round's input where the server lists rounds, else the
// first one's, which is the nearest it tells.
func (u *usage) total(rounds bool) provider.Usage {
	t := provider.Usage{
		Input: u.in + u.read + u.write, Output: u.out, CacheRead: u.read, CacheWrite: u.write,
		Reasoning: u.thinking, Cost: u.cost, Reported: u.reported,
	}
	if !u.hasIn {
		t.Input = max(t.Input, u.prompt)
	}
	if !u.hasOut {
		t.Output = u.completion
	}
	switch {
	case u.last > 0 && u.last != t.Input:
		t.Context = u.last
	case rounds && u.first > 0 && u.first < t.Input:
		t.Context = u.first
	}
	return t
}
