package compact

import (
	"slices"

	"forge/provider"
)

const (
	imageTokens   = 1600 // a large picture: servers scale it down to about this
	imagePixels   = 750  // of a smaller one for each token
	leastImage    = 85   // a tiny one: what servers charge for any
	blockTokens   = 4    // what a block costs beside its text
	messageTokens = 4
)

// Count estimates the tokens of a text, by a walk over its bytes: an automaton
// that knows how far it is in a word, a number, a run of marks or of blanks, and
// what each next kind of byte costs there (weights.go). It is wrong by a few
// percent for the vocabulary it was fitted to, and by as much as another one
// differs until a server reported how it counts.
func Count(s string) int {
	if s == "" {
		return 0
	}
	var sum uint64
	at := uint32(0)
	for i := range len(s) {
		step := steps[at&0xffe0|uint32(classOf[s[i]])]
		sum += uint64(step >> 16)
		at = step
	}
	return int(sum>>12) + 1
}

// gauge knows how the server at hand counts. It learns from each report, and
// keeps what it learned when a cut takes the reports away.
type gauge struct {
	scale float64 // tokens of the server for one of ours; 0: nothing learned yet
	known []weighed
}

// weighed is the weight of one message, kept so that a turn costs what is new in
// it and not the whole history. A message that changes gets other blocks.
type weighed struct {
	first *provider.Block
	n     int
	sum   int // of all messages up to and with this one
}

// enough is how many tokens must lie under a report to learn from it.
const enough = 1500

// estimate is the tokens of a history as input of the next request: what the
// server last reported, and what came after by counting, scaled by how far the
// count was off before. overhead is what a request has beside its messages.
func (g *gauge) estimate(ms []provider.Message, overhead int) int {
	g.weigh(ms)
	first, last := -1, -1
	for i := range ms {
		if ms[i].Usage.Reported && ms[i].Role == provider.Assistant {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if last < 0 {
		return int(float64(g.upTo(len(ms))+overhead) * g.factor())
	}
	in := input(ms[last].Usage)
	// Between two reports lies only text. Before the first lie the tools and the
	// system prompt too, as a template renders them.
	if span := g.upTo(last) - g.upTo(first); span > 2*enough && in > input(ms[first].Usage) {
		g.learn(float64(in-input(ms[first].Usage)) / float64(span))
	} else if under := g.upTo(last) + overhead; under > enough {
		g.learn(float64(in) / float64(under))
	}
	return in + said(ms[last]) + int(float64(g.upTo(len(ms))-g.upTo(last+1))*g.factor())
}

// input is the tokens of the request that was answered with u.
func input(u provider.Usage) int {
	if u.Context > 0 {
		return u.Context
	}
	return u.Input
}

// said is what an answer adds to the next request: all it cost, but for reasoning
// that was not shown and so cannot be sent back.
func said(m provider.Message) int {
	for _, b := range m.Blocks {
		switch b.(type) {
		case provider.Thinking, provider.Opaque:
			return m.Usage.Output
		}
	}
	return max(m.Usage.Output-m.Usage.Reasoning, 0)
}

func (g *gauge) learn(scale float64) { g.scale = min(max(scale, 0.5), 2.5) }

func (g *gauge) factor() float64 {
	if g.scale == 0 {
		return 1
	}
	return g.scale
}

// weigh brings the known weights up to date.
func (g *gauge) weigh(ms []provider.Message) {
	n := 0
	for n < len(g.known) && n < len(ms) && g.known[n].is(ms[n]) {
		n++
	}
	g.known = g.known[:n]
	sum := g.upTo(n)
	for _, m := range ms[n:] {
		sum += weighMessage(m)
		w := weighed{n: len(m.Blocks), sum: sum}
		if w.n > 0 {
			w.first = &m.Blocks[0]
		}
		g.known = append(g.known, w)
	}
}

func (w weighed) is(m provider.Message) bool {
	return w.n == len(m.Blocks) && (w.n == 0 || w.first == &m.Blocks[0])
}

func (g *gauge) upTo(n int) int {
	if n == 0 {
		return 0
	}
	return g.known[n-1].sum
}

// weigh counts messages without looking at what a server reported.
func weigh(ms []provider.Message) int {
	n := 0
	for _, m := range ms {
		n += weighMessage(m)
	}
	return n
}

func weighMessage(m provider.Message) int { return messageTokens + weighBlocks(m.Blocks) }

func weighBlocks(bs []provider.Block) int {
	n := 0
	for _, b := range bs {
		n += blockTokens
		switch b := b.(type) {
		case provider.Text:
			n += Count(b.Text)
		case provider.Thinking:
			n += Count(b.Text) + Count(b.Extra)
		case provider.ToolUse:
			n += Count(b.Name) + Count(b.Input)
		case provider.ToolResult:
			n += weighBlocks(b.Content)
		case provider.Image:
			n += weighImage(b)
		case provider.Opaque:
			n += Count(b.JSON)
		}
	}
	return n
}

// weighImage is about what Anthropic's servers count for a picture; those of OpenAI's
// format count in tiles, and come to less for a large one.
func weighImage(i provider.Image) int {
	w, h := i.Size()
	if w == 0 {
		return imageTokens
	}
	return min(max(w*h/imagePixels, leastImage), imageTokens)
}

func pictured(bs []provider.Block) bool {
	return slices.ContainsFunc(bs, func(b provider.Block) bool { _, ok := b.(provider.Image); return ok })
}

// Weigh estimates the tokens of one message, as Count does.
func Weigh(m provider.Message) int { return weighMessage(m) }
