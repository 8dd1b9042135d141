package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"forge/provider"
	"forge/sorting"
)

// cache follows what a server's cache can hold of a conversation: each request
// should begin with the one before, byte for byte. Where a server reads it all
// again, cache says why.
type cache struct {
	last  *provider.Request
	at    time.Time // when the last one was answered
	input int       // its tokens, as the server counted
	works bool      // this model's server reported a cache before
	own   string    // what forge or the person changed since, in words
}

// The smallest miss that is told: below it servers differ in how they round.
const (
	missTokens = 2048
	missShare  = 5 // one part in so many
)

// servers let go of what was not asked for this long, unless told otherwise.
const cacheLife = 5 * time.Minute

// changed notes that the beginning of the next request will differ, and why.
func (c *cache) changed(why string) { c.own = why }

// answered compares a request that was answered with the one before it. miss is
// nil where nothing was lost, or where that cannot be known.
func (c *cache) answered(req provider.Request, u provider.Usage, m provider.Model, now time.Time) (miss *CacheMissed) {
	last, since := c.last, now.Sub(c.at)
	if u.Reported && u.Input > 0 {
		defer func() {
			kept := req
			c.last, c.at, c.own = &kept, now, ""
			c.input = u.Input
			if u.Context > 0 {
				c.input = u.Context
			}
			c.works = c.works && (last == nil || last.Model == req.Model) || u.CacheRead > 0 || u.CacheWrite > 0
		}()
	}
	if last == nil || !u.Reported || u.Context > 0 {
		return nil
	}
	cause, at := difference(*last, req)
	expected := c.own != "" || last.Model != req.Model
	switch {
	case !c.works:
		return nil
	case c.own != "":
		cause = c.own
	case cause == "" && since >= cacheLife:
		cause, at = fmt.Sprintf("nothing was sent for %d minutes, and the server let it go", int(since.Minutes())), -1
	case cause == "":
		cause, at = "nothing changed on forge's side; the server did not keep it", -1
	}
	lost := min(c.input, u.Input) - u.CacheRead
	if lost < missTokens || lost < c.input/missShare {
		return nil
	}
	miss = &CacheMissed{Cause: cause, At: at, Tokens: lost, Expected: expected}
	if m.Price.Known && m.Price.CacheRead > 0 {
		miss.Cost, miss.CostKnown = float64(lost)*max(m.Price.Input-m.Price.CacheRead, 0)/1e6, true
	}
	return miss
}

// difference says where a request stops beginning as the one before it did: what
// changed, and at which byte, counted over the model's name, the system prompt, the
// tools by name and the messages. The cause is empty where it only grew.
func difference(was, is provider.Request) (cause string, at int) {
	if was.Model != is.Model {
		return "the model changed from " + was.Model + " to " + is.Model, same(was.Model, is.Model)
	}
	at = len(is.Model)
	if was.Effort != is.Effort {
		return "the effort changed", at
	}
	if was.System != is.System {
		return "the system prompt changed", at + same(was.System, is.System)
	}
	at += len(is.System)
	if cause, n := toolsDiffer(was.Tools, is.Tools); cause != "" {
		return cause, at + n
	}
	for _, t := range is.Tools {
		at += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for i, m := range was.Messages {
		if i >= len(is.Messages) {
			return "the history became shorter", at + sizes(is.Messages)
		}
		if sameBlocks(m, is.Messages[i]) {
			continue
		}
		a, b := bytesOf(m), bytesOf(is.Messages[i])
		if !bytes.Equal(a, b) {
			return fmt.Sprintf("message %d of the history changed", i), at + sizes(is.Messages[:i]) + same(string(a), string(b))
		}
	}
	return "", -1
}

func toolsDiffer(was, is []provider.ToolSpec) (string, int) {
	was, is = byName(was), byName(is)
	at := 0
	for i, t := range was {
		switch {
		case i >= len(is) || t.Name < is[i].Name:
			return "the tool " + t.Name + " went away", at
		case t.Name > is[i].Name:
			return "the tool " + is[i].Name + " came", at
		case t.Description != is[i].Description || !bytes.Equal(t.Schema, is[i].Schema):
			return "the tool " + t.Name + " changed", at + same(t.Name+t.Description+string(t.Schema), is[i].Name+is[i].Description+string(is[i].Schema))
		}
		at += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	if len(is) > len(was) {
		return "the tool " + is[len(was)].Name + " came", at
	}
	return "", 0
}

func byName(ts []provider.ToolSpec) []provider.ToolSpec {
	ts = slices.Clone(ts)
	sorting.StableBy(ts, func(a, b provider.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	return ts
}

// same is how many bytes two texts have in common at their beginning.
func same(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// sameBlocks knows a message again without looking into it: one that changed has
// other blocks.
func sameBlocks(a, b provider.Message) bool {
	return len(a.Blocks) == len(b.Blocks) && (len(a.Blocks) == 0 || &a.Blocks[0] == &b.Blocks[0])
}

func bytesOf(m provider.Message) []byte {
	m.Usage, m.Stop = provider.Usage{}, provider.StopNone // not sent
	b, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return b
}

func sizes(ms []provider.Message) int {
	n := 0
	for _, m := range ms {
		n += len(bytesOf(m))
	}
	return n
}

// tellMiss tells of a miss: everybody by an event, whoever looks for it later in
// the log.
func (r *run) tellMiss(miss *CacheMissed) {
	if miss == nil {
		return
	}
	slog.Info("cache missed", "cause", miss.Cause, "byte", miss.At, "tokens", miss.Tokens, "usd", miss.Cost, "expected", miss.Expected)
	r.Agent.mu.Lock()
	r.totals.Missed += miss.Tokens
	r.totals.MissedCost += miss.Cost
	r.Agent.mu.Unlock()
	r.emit(*miss)
}
