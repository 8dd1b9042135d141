package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"forge/swap"
)

// A secret enciphers contents where they are kept: files hold keys and passwords,
// and nothing that searches, indexes or copies a state folder shall come upon them.
// Its own file lies beside the journals, so it keeps out nobody who may read all of
// the folder; they could read the workspace as well.
type secret [32]byte

const keyName = "key"

// crypt enciphers data, or deciphers it. The content's own sum is where the cipher
// begins: no two contents share that.
func (s *secret) crypt(h sum, data []byte) []byte {
	if s == nil {
		return data
	}
	block, err := aes.NewCipher(s[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	out := make([]byte, len(data))
	cipher.NewCTR(block, h[:aes.BlockSize]).XORKeyStream(out, data)
	return out
}

func newSecret() *secret {
	var s secret
	_, _ = rand.Read(s[:]) // never fails
	return &s
}

// readSecret reads the key of the journals in dir; nil and no error: there is none.
func readSecret(dir string) (*secret, error) {
	b, err := os.ReadFile(filepath.Join(dir, keyName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(b) != len(secret{}):
		return nil, fmt.Errorf("%s holds no key; delete it, and what was kept with it is given up", filepath.Join(dir, keyName))
	}
	s := secret(b)
	return &s, nil
}

// makeSecret reads the key, or makes one. Of two forges that make one at a time both
// use the first.
func makeSecret(dir string) (*secret, error) {
	if s, err := readSecret(dir); s != nil || err != nil {
		return s, err
	}
	s := newSecret()
	f, err := os.CreateTemp(dir, "tmp-key-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(s[:])
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, keyName)
	if os.Link(f.Name(), file) != nil { // it is there by now, or there are no links here
		if s, err := readSecret(dir); s != nil || err != nil {
			return s, err
		}
		if err := swap.Rename(f.Name(), file); err != nil {
			return nil, err
		}
	}
	return s, nil
}
