/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator's kernel: small things, as far as the module uses them.
 */
#ifndef SIM_LINUX_KERNEL_H
#define SIM_LINUX_KERNEL_H

#include <assert.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <linux/types.h>

#define __init
#define __exit
#define __percpu
#define __user
#define __force
#define __iomem
#define __rcu
#define __read_mostly
#define __must_check		__attribute__((warn_unused_result))
#define __maybe_unused		__attribute__((unused))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define noinline		__attribute__((noinline))
#define __cold			__attribute__((cold))
#define __packed		__attribute__((packed))
#define __aligned(n)		__attribute__((aligned(n)))
#define ____cacheline_aligned	__attribute__((aligned(64)))
#define ____cacheline_aligned_in_smp __attribute__((aligned(64)))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define fallthrough		__attribute__((fallthrough))

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __releases(lock)
#define barrier()	__asm__ __volatile__("" : : : "memory")
#define prefetch(x)	__builtin_prefetch(x)
#define prefetchw(x)	__builtin_prefetch(x, 1)

/* One thread: every order of memory is the order of the program. */
#define READ_ONCE(x)		(*(const typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(typeof(x) *)&(x) = (v))
/* so this is a plain load */
#define smp_load_acquire(p)	READ_ONCE(*(p))
/* and this a plain store */
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v)
/* a full barrier: only for the compiler here */
#define smp_mb()		barrier()
/* and for reads */
#define smp_rmb()		barrier()
/* and for writes */
#define smp_wmb()		barrier()
#define cpu_relax()	barrier()

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(x, y)		((((x) - 1) | ((typeof(x))(y) - 1)) + 1)
#define round_down(x, y)	((x) & ~((typeof(x))(y) - 1))
#define struct_size(p, member, n) (sizeof(*(p)) + sizeof((p)->member[0]) * (n))

#define min(a, b)	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define clamp(v, lo, hi)	clamp_t(typeof(v), v, lo, hi)
#define swap(a, b) \
	do { typeof(a) swap_ = (a); (a) = (b); (b) = swap_; } while (0)

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1ul << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#define offset_in_page(p) ((unsigned long)(p) & ~PAGE_MASK)

#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX

/* Byte order and bits. */
#define cpu_to_le16(x)	htole16(x)
#define cpu_to_le32(x)	htole32(x)
#define cpu_to_le64(x)	htole64(x)
#define le16_to_cpu(x)	le16toh(x)
#define le32_to_cpu(x)	le32toh(x)
#define le64_to_cpu(x)	le64toh(x)
#define BIT(n)		(1ul << (n))
#define BITS_PER_LONG	64
#define BITS_TO_LONGS(n) DIV_ROUND_UP(n, BITS_PER_LONG)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

static inline unsigned int __ffs(unsigned long w)
{
	return (unsigned int)__builtin_ctzl(w);
}

static inline unsigned int __fls(unsigned long w)
{
	return 63u - (unsigned int)__builtin_clzl(w);
}

static inline int fls(unsigned int w)
{
	return w ? 32 - __builtin_clz(w) : 0;
}

#define hweight16(w)	((unsigned int)__builtin_popcount((u16)(w)))
#define hweight32(w)	((unsigned int)__builtin_popcount((u32)(w)))
#define hweight64(w)	((unsigned int)__builtin_popcountll(w))
#define ilog2(n)	((int)__fls(n))
#define is_power_of_2(n) ((n) && !((n) & ((n) - 1)))

static inline void __set_bit(unsigned long n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= BIT(n % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned long n, unsigned long *map)
{
	map[n / BITS_PER_LONG] &= ~BIT(n % BITS_PER_LONG);
}

static inline bool test_bit(unsigned long n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> (n % BITS_PER_LONG) & 1;
}

static inline bool test_and_set_bit(unsigned long n, unsigned long *map)
{
	bool was = test_bit(n, map);

	__set_bit(n, map);
	return was;
}

static inline bool test_and_clear_bit(unsigned long n, unsigned long *map)
{
	bool was = test_bit(n, map);

	__clear_bit(n, map);
	return was;
}

static inline void change_bit(unsigned long n, unsigned long *map)
{
	map[n / BITS_PER_LONG] ^= BIT(n % BITS_PER_LONG);
}

#define set_bit(n, map)		__set_bit(n, map)
#define clear_bit(n, map)	__clear_bit(n, map)

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

/* Atomics: nothing interleaves within a statement. */
#define ATOMIC_INIT(n)		{ n }
#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, n)	WRITE_ONCE((v)->counter, n)
#define atomic_inc(v)		((void)((v)->counter += 1))
#define atomic_dec(v)		((void)((v)->counter -= 1))
#define atomic_add(n, v)	((void)((v)->counter += (n)))
#define atomic_sub(n, v)	((void)((v)->counter -= (n)))
#define atomic_inc_return(v)	((v)->counter += 1)
#define atomic_dec_return(v)	((v)->counter -= 1)
#define atomic_add_return(n, v)	((v)->counter += (n))
#define atomic_sub_return(n, v)	((v)->counter -= (n))
#define atomic_dec_and_test(v)	(!((v)->counter -= 1))
#define atomic_sub_and_test(n, v) (!((v)->counter -= (n)))
#define atomic64_read(v)	atomic_read(v)
#define atomic64_set(v, n)	atomic_set(v, n)
#define atomic64_inc(v)		atomic_inc(v)
#define atomic64_dec(v)		atomic_dec(v)
#define atomic64_add(n, v)	atomic_add(n, v)
#define atomic64_sub(n, v)	atomic_sub(n, v)
#define atomic64_inc_return(v)	atomic_inc_return(v)
#define xchg(p, v)		({ typeof(*(p)) old_ = *(p); *(p) = (v); old_; })
#define atomic_xchg(v, n)	xchg(&(v)->counter, n)
#define cmpxchg(p, old, new) \
	({ typeof(*(p)) was_ = *(p); *(p) = was_ == (old) ? (new) : was_; was_; })
#define atomic_cmpxchg(v, old, new) cmpxchg(&(v)->counter, old, new)

/* Errors in pointers. */
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-4095)
#define IS_ERR_OR_NULL(p)	(!(p) || IS_ERR(p))
#define ERR_PTR(r)		((void *)(long)(r))
#define PTR_ERR(p)		((long)(p))
#define PTR_ERR_OR_ZERO(p)	(IS_ERR(p) ? PTR_ERR(p) : 0)

/* Text. */
__printf(3, 4) int scnprintf(char *buf, size_t size, const char *fmt, ...);
long strscpy(char *to, const char *from, size_t size);
void *memchr_inv(const void *p, int c, size_t size);
int kstrtobool(const char *s, bool *to);
int kstrtou8(const char *s, unsigned int base, u8 *to);
int kstrtou32(const char *s, unsigned int base, u32 *to);
int kstrtouint(const char *s, unsigned int base, unsigned int *to);
int kstrtou64(const char *s, unsigned int base, u64 *to);

typedef struct { u8 b[16]; } uuid_t;
int uuid_parse(const char *s, uuid_t *to);

__printf(1, 2) void sim_printk(const char *fmt, ...);
#define pr_err(fmt, ...)	sim_printk(fmt, ##__VA_ARGS__)
#define pr_warn(fmt, ...)	sim_printk(fmt, ##__VA_ARGS__)
#define pr_info(fmt, ...)	sim_printk(fmt, ##__VA_ARGS__)

void sim_warn(const char *what, const char *file, int line);
#define WARN_ON(cond) \
	({ bool warn_ = !!(cond); if (warn_) sim_warn(#cond, __FILE__, __LINE__); warn_; })
#define WARN_ON_ONCE(cond)	WARN_ON(cond)
#define lockdep_assert_held(l)	((void)(l))

u32 crc32c(u32 crc, const void *data, size_t len);
void get_random_bytes(void *buf, size_t len);
void sort(void *base, size_t nr, size_t size, int (*cmp)(const void *, const void *), void *swap);

/* One CPU; what runs on others is other tasks of the scheduler. */
void *sim_alloc(size_t size, bool zero);
void sim_free(const void *p);
#define alloc_percpu(type)	((type *)sim_alloc(sizeof(type), true))
#define free_percpu(p)		sim_free(p)
#define per_cpu_ptr(p, cpu)	((void)(cpu), (p))
#define this_cpu_ptr(p)		(p)
#define raw_cpu_ptr(p)		(p)
#define get_cpu_ptr(p)		(p)
#define put_cpu_ptr(p)		((void)(p))
#define this_cpu_inc(x)		((void)((x) += 1))
#define this_cpu_add(x, n)	((void)((x) += (n)))
#define this_cpu_dec(x)		((void)((x) -= 1))
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define for_each_online_cpu(cpu) for_each_possible_cpu(cpu)
#define raw_smp_processor_id()	0
#define num_possible_cpus()	1u
#define num_online_cpus()	1u
#define nr_cpu_ids		1u

/* The one module. */
#define THIS_MODULE		NULL
#define module_init(fn)		int sim_module_init(void) { return fn(); }
#define module_exit(fn)		void sim_module_exit(void) { fn(); }
#define MODULE_DESCRIPTION(s)	_Static_assert(1, "")
#define MODULE_AUTHOR(s)	_Static_assert(1, "")
#define MODULE_LICENSE(s)	_Static_assert(1, "")
#define MODULE_VERSION(s)	_Static_assert(1, "")
#define MODULE_ALIAS(s)		_Static_assert(1, "")
int sim_module_init(void);
void sim_module_exit(void);

static inline const char *kbasename(const char *path)
{
	const char *tail = strrchr(path, '/');

	return tail ? tail + 1 : path;
}

#endif /* SIM_LINUX_KERNEL_H */
