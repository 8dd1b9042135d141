package models

import (
	"io"
	"iter"
	"net/http"

	"forge/lazy"
	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/catalog"
	"forge/provider/openai"
)

// wires is the table of wires: a new one is a folder, and a line here.
var wires = lazy.Value[map[string]func(c catalog.Choice, h *http.Client) provider.Provider]{Of: func() map[string]func(c catalog.Choice, h *http.Client) provider.Provider {
	return map[string]func(c catalog.Choice, h *http.Client) provider.Provider{
		catalog.OpenAI: func(c catalog.Choice, h *http.Client) provider.Provider {
			return openai.New(openai.Options{Name: c.Endpoint.Name, BaseURL: c.Endpoint.BaseURL, Key: c.Key, KeyEnv: c.KeyEnv,
				Header: header(c), Client: h, Window: func(id string) int { return limits(c, id).Window }})
		},
		catalog.Anthropic: func(c catalog.Choice, h *http.Client) provider.Provider {
			return anthropic.New(anthropic.Options{BaseURL: c.Endpoint.BaseURL, Key: c.Key, KeyEnv: c.KeyEnv, Bearer: c.Endpoint.BearerAuth,
				Header: header(c), Client: h, MaxOutput: func(id string) int { return limits(c, id).MaxOutput }})
		},
	}
}}

// Decoders is the same table for recorded streams: what reads one, by its wire's name.
func Decoders() map[string]func(io.Reader) iter.Seq2[provider.Event, error] { return decoders.Get() }

var decoders = lazy.Value[map[string]func(io.Reader) iter.Seq2[provider.Event, error]]{Of: func() map[string]func(io.Reader) iter.Seq2[provider.Event, error] {
	return map[string]func(io.Reader) iter.Seq2[provider.Event, error]{
		catalog.OpenAI: func(r io.Reader) iter.Seq2[provider.Event, error] {
			return openai.Decode(r, openai.DecodeOptions{})
		},
		catalog.Anthropic: func(r io.Reader) iter.Seq2[provider.Event, error] { return anthropic.Decode(r, "") },
	}
}}

func header(c catalog.Choice) http.Header {
	h := http.Header{}
	for k, v := range c.Endpoint.Header {
		h.Set(k, v)
	}
	return h
}

func limits(c catalog.Choice, id string) provider.Model {
	if id == c.Model.ID {
		return c.Model
	}
	m, _ := c.Endpoint.Model(id)
	return m
}
