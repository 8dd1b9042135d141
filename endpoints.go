package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/provider"
	"forge/provider/catalog"
	"forge/ui/doctor"
	"forge/ui/lang"
)

// endpoints asks every endpoint that can be used for its models: the cheapest
// question that needs the network and the key. One whose model was not chosen is no
// failure.
func (c checkup) endpoints(ctx context.Context) []doctor.Finding {
	if c.f.flags.Demo {
		return nil
	}
	choice, _, err := c.chosen(ctx)
	asked := c.f.source.Usable(ctx)
	if err == nil && !slices.ContainsFunc(asked, func(u catalog.Choice) bool { return u.Endpoint.Name == choice.Endpoint.Name }) {
		asked = append([]catalog.Choice{choice}, asked...)
	}
	if len(asked) == 0 {
		return []doctor.Finding{{ID: "endpoint.none", Level: doctor.Warn, Text: lang.T("no endpoint could be asked: there is no key, and no model server on this machine"), Fix: lang.T("set a key, or start a local server; forge models --all lists the providers")}}
	}
	var checks []doctor.Check
	for _, u := range asked {
		model := ""
		if err == nil && u.Endpoint.Name == choice.Endpoint.Name {
			u, model = choice, choice.Model.ID
		}
		checks = append(checks, doctor.Check{ID: "endpoint." + u.Endpoint.Name, Limit: endpointWait, Run: func(ctx context.Context) []doctor.Finding { return c.endpoint(ctx, u, model) }})
	}
	return doctor.Examine(ctx, "", checks).Findings
}

// endpoint asks one; model is the one that was chosen there, if any was.
func (c checkup) endpoint(ctx context.Context, u catalog.Choice, model string) []doctor.Finding {
	e := c.f.source.Wired(u.Endpoint)
	w := &witness{under: c.f.source.Transport()}
	began := time.Now()
	models, err := c.f.source.ListBy(ctx, &http.Client{Transport: w}, e, u.Key)
	id, at := "endpoint."+e.Name, e.Name+" ("+provider.Address(e.BaseURL)+")"
	how := w.how()
	if err != nil {
		f := unreachable(err, u)
		f.ID, f.Text = id, at+": "+f.Text+how
		if f.Level == doctor.Fail && model == "" {
			f.Level = doctor.Warn
		}
		return []doctor.Finding{f}
	}
	text := lang.T("answered in %d ms, %s", max(1, cmpOr(w.took, time.Since(began)).Milliseconds()), lang.Count(len(models), "1 model", "%d models"))
	out := []doctor.Finding{{ID: id, Level: doctor.Ok, Text: at + ": " + text + how}}
	if strings.HasPrefix(e.BaseURL, "http://") && !e.Local && u.Key != "" && !loopbackURL(e.BaseURL) {
		out[0].Level, out[0].Fix = doctor.Warn, lang.T("the key travels unencrypted: use an https address")
	}
	if model != "" && len(models) > 0 && !slices.ContainsFunc(models, func(m provider.Model) bool { return m.ID == model }) {
		out = append(out, doctor.Finding{ID: "model.listed", Level: doctor.Warn, Text: lang.T("%s does not list the model %s", e.Name, model), Fix: lang.T("see what there is: %s", "forge models "+e.Name)})
	}
	return out
}

func cmpOr(a, b time.Duration) time.Duration {
	if a > 0 {
		return a
	}
	return b
}

func loopbackURL(base string) bool {
	rest := strings.TrimPrefix(base, "http://")
	return strings.HasPrefix(rest, "127.") || strings.HasPrefix(rest, "localhost") || strings.HasPrefix(rest, "[::1]")
}

// unreachable reads why an endpoint gave no list.
func unreachable(err error, u catalog.Choice) doctor.Finding {
	f := doctor.Finding{Level: doctor.Fail, Text: lang.Said(provider.Redact(err.Error()))}
	var pe *provider.Error
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		f.Text = lang.T("no answer within %s", endpointWait.String())
		f.Fix = lang.T("check the network, and HTTPS_PROXY if there is a proxy")
	case errors.As(err, &pe) && pe.Kind == provider.KindAuth && u.KeyEnv == "" && u.Key != "":
		f.Fix = lang.T("the stored key was refused: give another with %s", "forge login "+u.Endpoint.Name)
	case errors.As(err, &pe) && pe.Status == http.StatusNotFound:
		f.Level, f.Text = doctor.Warn, lang.T("it answers, but has no list of models (HTTP 404)")
		f.Fix = lang.T("if it does not work, check the address: most end in /v1")
	case errors.As(err, &pe) && pe.Hint != "":
		f.Fix = lang.Said(pe.Hint)
	case errors.As(err, &cert) || strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		f.Fix = lang.T("its certificate is not trusted here: add its authority to the system's, for example with SSL_CERT_FILE")
	case strings.Contains(err.Error(), "no JSON"):
		f.Fix = lang.T("check the address: most end in /v1")
	default:
		f.Fix = lang.T("check the address and the network, and HTTPS_PROXY if there is a proxy")
	}
	return f
}

// witness passes requests on and notes how they travelled.
type witness struct {
	under http.RoundTripper

	mu    sync.Mutex
	took  time.Duration
	tls   string
	proxy string
}

// RoundTrip implements http.RoundTripper.
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	proxy := ""
	if t, ok := w.under.(*http.Transport); ok && t.Proxy != nil {
		if u, err := t.Proxy(r); err == nil && u != nil {
			proxy = u.Host // without who logs in there
		}
	}
	began := time.Now()
	resp, err := w.under.RoundTrip(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.proxy = proxy
	if err == nil {
		w.took, w.tls = time.Since(began), ""
		if resp.TLS != nil {
			w.tls = tls.VersionName(resp.TLS.Version)
		}
	}
	return resp, err
}

// how says how it travelled, as an ending of a line.
func (w *witness) how() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := ""
	if w.tls != "" {
		out += ", " + w.tls
	}
	if w.proxy != "" {
		out += ", " + lang.T("through the proxy %s", w.proxy)
	}
	return out
}
