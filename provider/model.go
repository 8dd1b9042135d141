package provider

// Model is what forge knows of a model. Zero fields are unknown.
type Model struct {
	Provider  string // the endpoint's name: "anthropic", "deepseek", "ollama", …
	ID        string // as sent on the wire
	Name      string // for people
	Window    int    // tokens of context, input and output together
	MaxOutput int    // tokens
	Price     Price
	Reasoning bool // it can think
	Images    bool // it can see
	Blind     bool // it is known not to see
	NoTools   bool // it is known not to call tools
	Local     bool // it runs on this machine: nobody charges for it
	Efforts   []Effort
	Default   Effort // the effort to use when the person names none
}

// Price is US dollars per million tokens. Known says whether any of it is known;
// an unknown price is shown as such, never as 0.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
	Known                                bool
}

// Cost returns the price of u in US dollars: the server's own figure where it
// gave one, else computed. Input that was read from or written to the cache is
// charged at the cache's prices (Usage.Input includes both).
func (m Model) Cost(u Usage) float64 {
	if u.Cost > 0 {
		return u.Cost
	}
	p := m.Price
	if !p.Known {
		return 0
	}
	read, write := p.CacheRead, p.CacheWrite
	if read == 0 {
		read = p.Input
	}
	if write == 0 {
		write = p.Input
	}
	fresh := max(0, u.Input-u.CacheRead-u.CacheWrite)
	return (float64(fresh)*p.Input + float64(u.CacheRead)*read + float64(u.CacheWrite)*write + float64(u.Output)*p.Output) / 1e6
}
