package secrets_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"forge/tools/secrets"
)

// plainLog is what programs write, with no secret in it.
func plainLog(size int) string {
	r := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		switch n % 4 {
		case 0:
			fmt.Fprintf(&b, "2026-11-30T10:%02d:%02d.%03dZ INFO  server/http.go:214 request done method=GET path=/api/v1/items/%d status=200 took=%dms bytes=%d\n",
				r.IntN(60), r.IntN(60), r.IntN(1000), r.IntN(99999), r.IntN(500), r.IntN(99999))
		case 1:
			fmt.Fprintf(&b, "{\"level\":\"debug\",\"ts\":%d.%d,\"caller\":\"store/cache.go:88\",\"msg\":\"hit\",\"id\":\"%08x-%04x-4f89-8a0c-%012x\"}\n",
				r.IntN(1e9), r.IntN(1e6), r.Uint32(), r.IntN(65536), r.Uint64()>>16)
		case 2:
			b.WriteString("    at com.example.service.UserController.handle(UserController.java:42) ~[classes/:na]\n")
		case 3:
			b.WriteString("ok  	forge/tools/builtin	4.812s	coverage: 81.2% of statements in ./...\n")
		}
	}
	return b.String()
}

// BenchmarkMask is the price of looking at output in which there is nothing.
func BenchmarkMask(b *testing.B) {
	text := plainLog(1 << 20)
	for _, known := range []int{0, 10} {
		b.Run(fmt.Sprintf("known=%d", known), func(b *testing.B) {
			g := secrets.New(secrets.Options{})
			r := rand.New(rand.NewPCG(1, 1))
			for range known {
				g.Learn("API_TOKEN=" + join(r, "A40"))
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, hidden := g.Mask(text); len(hidden) > 0 {
					b.Fatal(hidden)
				}
			}
		})
	}
}

// BenchmarkStream is the same in the pieces a command's output comes in.
func BenchmarkStream(b *testing.B) {
	text := plainLog(1 << 20)
	w := secrets.New(secrets.Options{}).Stream(io.Discard)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for rest := text; rest != ""; {
			n := min(len(rest), 32<<10)
			io.WriteString(w, rest[:n])
			rest = rest[n:]
		}
	}
}
