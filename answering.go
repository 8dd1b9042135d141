package main

import (
	"context"
	"fmt"

	"forge/models"
	"forge/provider"
	"forge/provider/catalog"
	"forge/provider/demo"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
)

// models lists what the picker offers: every model of every provider with a key,
// and of local servers.
func (f *forge) models(ctx context.Context) ([]ui.ModelChoice, error) {
	f.source.Look(ctx)
	offers, err := f.source.Offers(ctx, "")
	if err != nil {
		return nil, err
	}
	var out []ui.ModelChoice
	for _, o := range offers {
		if o.Ready {
			out = append(out, choice(o.Model))
		}
	}
	if f.flags.Demo {
		out = append(out, choice(demo.Model()))
	}
	return out, nil
}

func choice(m provider.Model) ui.ModelChoice {
	window, price := cli.Tokens(m.Window), cli.Price(m.Price)
	if m.Window <= 0 {
		window = lang.T("window unknown")
	}
	if !m.Price.Known {
		price = lang.T("price unknown")
	}
	return ui.ModelChoice{Model: m, Note: window + lang.T(" · ") + price}
}

// setModel goes on with another model, or another effort of the same.
func (f *forge) setModel(c ui.ModelChoice, e provider.Effort) (provider.Model, error) {
	if c.Model.Provider == f.model.Provider && c.Model.ID == f.model.ID && f.noModel == nil {
		p, next := f.agent.Provider(), f.choice
		next.Effort = e
		f.answersWith(next, f.model)
		f.agent.SetModel(p, f.model, models.Effort(f.choice)) // none: the model's own
		if !f.flags.Demo {
			f.source.Remember(f.choice)
		}
		return f.model, nil
	}
	if c.Model.Provider == demo.Model().Provider {
		return f.useDemo()
	}
	endpoint, ok := f.source.Endpoint(context.Background(), c.Model.Provider)
	if !ok {
		return f.model, fmt.Errorf(lang.T("provider %s is not reachable now"), c.Model.Provider)
	}
	endpoint.Model, endpoint.Effort = c.Model, e
	return f.use(f.source.Settle(endpoint))
}

// answersWith notes which model answers from now on.
func (f *forge) answersWith(c catalog.Choice, m provider.Model) {
	f.chosenMu.Lock()
	defer f.chosenMu.Unlock()
	f.choice, f.model = c, m
}

// answering is which model answers now, for those who ask at any time.
func (f *forge) answering() (catalog.Choice, provider.Model) {
	f.chosenMu.Lock()
	defer f.chosenMu.Unlock()
	return f.choice, f.model
}

// use opens the way to a choice and goes on with it.
func (f *forge) use(c catalog.Choice) (provider.Model, error) {
	p, err := f.source.Open(c)
	if err != nil {
		return f.model, err
	}
	f.noModel = nil
	f.answersWith(c, c.Model)
	f.agent.SetModel(p, f.model, models.Effort(c))
	f.source.Remember(c)
	return f.model, f.checkPrice()
}

func (f *forge) useDemo() (provider.Model, error) {
	f.noModel = nil
	f.answersWith(f.choice, demo.Model())
	f.agent.SetModel(demo.New(demo.Builtin(), demo.Options{Pace: -1}), f.model, "")
	return f.model, nil
}
