package openai

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"forge/provider"
)

// ids gives every call the id its server knows it by. The same history always
// gets the same ids, so that what went out before goes out again byte for byte.
type ids struct {
	style  idStyle
	strict bool // the model behind a gateway takes only letters, digits, - and _
	again  bool // an id may come twice in a conversation and must go back unchanged
	used   map[string]bool
	wire   map[string]string // by forge's own id
}

// give returns the id for u. own says that the same server wrote it, and so its
// own id goes back. An id another call has already is replaced.
func (x *ids) give(u provider.ToolUse, own bool) string {
	id := ""
	for _, candidate := range []string{u.WireID, u.ID} {
		if candidate == "" || candidate == u.WireID && !own || !x.fits(candidate) {
			continue
		}
		if !x.used[candidate] || x.again && own && candidate == u.WireID {
			id = candidate
			break
		}
	}
	for seed := u.ID + "\x00" + u.WireID; id == "" || x.used[id] && !(x.again && own && id == u.WireID); seed += "+" {
		id = shortID(seed)
	}
	x.used[id] = true
	if u.ID != "" {
		x.wire[u.ID] = id
	}
	return id
}

func (x *ids) fits(id string) bool {
	switch x.style {
	case idMistral:
		return len(id) == 9 && plain(id, "")
	case idShort:
		if len(id) > 40 {
			return false
		}
	}
	return !x.strict || len(id) <= 64 && plain(id, "-_")
}

func plain(id, more string) bool {
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(more, c) >= 0) {
			return false
		}
	}
	return id != ""
}

// shortID is nine letters and digits that follow from seed: it fits everywhere.
func shortID(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:9]
}
