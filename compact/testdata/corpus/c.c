#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_MIN 16u
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A ring of bytes that grows. head is where the next byte is read. */
struct ring {
	uint8_t *data;
	size_t head;
	size_t used;
	size_t size; /* always a power of two */
};

static int ring_init(struct ring *r, size_t want)
{
	size_t size = RING_MIN;

	while (size < want) {
		if (size > SIZE_MAX / 2)
			return -EOVERFLOW;
		size <<= 1;
	}
	r->data = malloc(size);
	if (r->data == NULL)
		return -ENOMEM;
	r->head = r->used = 0;
	r->size = size;
	return 0;
}

static void ring_free(struct ring *r)
{
	free(r->data);
	memset(r, 0, sizeof(*r));
}

static int ring_grow(struct ring *r, size_t need)
{
	struct ring bigger;
	size_t first = r->size - r->head;
	int err;

	if ((err = ring_init(&bigger, r->used + need)) != 0)
		return err;
	if (first > r->used)
		first = r->used;
	memcpy(bigger.data, r->data + r->head, first);
	memcpy(bigger.data + first, r->data, r->used - first);
	bigger.used = r->used;
	free(r->data);
	*r = bigger;
	return 0;
}

int ring_push(struct ring *r, const void *buf, size_t len)
{
	const uint8_t *p = buf;
	int err;

	if (len > r->size - r->used && (err = ring_grow(r, len)) != 0)
		return err;
	for (size_t i = 0; i < len; i++)
		r->data[(r->head + r->used + i) & (r->size - 1)] = p[i];
	r->used += len;
	return 0;
}

size_t ring_pull(struct ring *r, void *buf, size_t len)
{
	uint8_t *p = buf;
	size_t n = len < r->used ? len : r->used;

	for (size_t i = 0; i < n; i++)
		p[i] = r->data[(r->head + i) & (r->size - 1)];
	r->head = (r->head + n) & (r->size - 1);
	r->used -= n;
	return n;
}

static const struct {
	const char *name;
	size_t chunk;
	bool verbose;
} cases[] = {
	{ "small", 7, false },
	{ "aligned", 64, false },
	{ "large", 4097, true },
};

int main(int argc, char **argv)
{
	struct ring r;
	uint8_t in[8192], out[8192];
	int failed = 0;

	(void)argc;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 31 + 7);
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		if (ring_init(&r, 0) != 0) {
			fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
			return EXIT_FAILURE;
		}
		for (size_t at = 0; at + cases[c].chunk <= sizeof(in); at += cases[c].chunk)
			if (ring_push(&r, in + at, cases[c].chunk) < 0)
				failed++;
		size_t n = ring_pull(&r, out, sizeof(out));
		if (memcmp(in, out, n) != 0) {
			printf("%-10s FAILED after %zu bytes\n", cases[c].name, n);
			failed++;
		} else if (cases[c].verbose) {
			printf("%-10s ok, %zu bytes (0x%04zx)\n", cases[c].name, n, n);
		}
		ring_free(&r);
	}
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
