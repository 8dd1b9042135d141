package secrets

// Found is what is found in a text of nobody's session.
type Found struct{ Kind, Value, Before string }

func Find(text string) (out []Found) {
	for _, f := range New(Options{}).find(text) {
		out = append(out, Found{kinds[f.kind].slug, text[f.from:f.to], text[max(0, f.from-40):f.from]})
	}
	return out
}
