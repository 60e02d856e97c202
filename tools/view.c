// SPDX-License-Identifier: GPL-2.0-or-later
/* From histograms and counts to the numbers of a row. */
#include "config.h"

#include "tools/view.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/cleanup.h"

static const double percents[PERCENTILES] = {
#define X(id, percent, key) [PCT_##id] = percent,
	PERCENTILE_TABLE(X)
#undef X
};

static const char *const percentile_keys[PERCENTILES] = {
#define X(id, percent, key) [PCT_##id] = key,
	PERCENTILE_TABLE(X)
#undef X
};

const char *view_percentile_key(enum percentile percentile)
{
	return percentile_keys[percentile];
}

void view_duration(const struct hist *hist, struct duration_view *ret_view)
{
	memset(ret_view, 0, sizeof(*ret_view));
	if (!hist || !hist->count)
		return;
	ret_view->samples = hist->count;
	ret_view->sum_ns = hist->sum;
	ret_view->min_ns = hist->min;
	ret_view->max_ns = hist->max;
	ret_view->mean_ns = (uint64_t)llround(hist_mean(hist));
	for (int i = 0; i < PERCENTILES; i++)
		ret_view->percentile_ns[i] = hist_percentile(hist, percents[i]);
	ret_view->marked[PCT_P99] = hist->count < VIEW_P99_SAMPLES;
	ret_view->marked[PCT_P999] = hist->count < VIEW_P999_SAMPLES;
}

uint64_t view_total_time(const struct summary *summary)
{
	uint64_t total_ns = 0;

	for (int i = 0; i < OP_KINDS; i++) {
		if (summary->op[i].dur[DUR_TOTAL])
			total_ns += summary->op[i].dur[DUR_TOTAL]->sum;
	}
	return total_ns;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

void view_op(const struct summary *summary, enum op_kind kind, struct op_view *ret_view)
{
	const struct op_summary *op = &summary->op[kind];

	ret_view->kind = kind;
	ret_view->ops = op->ops;
	ret_view->errors = op->errors;
	ret_view->bytes = op->bytes;
	for (int i = 0; i < DURATIONS; i++)
		view_duration(op->dur[i], &ret_view->dur[i]);
	ret_view->time_share =
		percent_of(ret_view->dur[DUR_TOTAL].sum_ns, view_total_time(summary));
}

bool view_has_duration(const struct summary *summary, uint64_t mask, enum duration duration)
{
	for (unsigned int i = 0; i < OP_KINDS; i++) {
		const struct hist *hist = summary->op[i].dur[duration];

		if ((mask >> i & 1) && hist && hist->sum)
			return true;
	}
	return false;
}

int view_file(const struct file_summary *file, struct file_view *ret_view)
{
	scoped_free struct hist *hist = hist_new(HIST_FILE_BITS);

	if (!hist)
		return -ENOMEM;
	memset(ret_view, 0, sizeof(*ret_view));
	ret_view->ops = file_summary_ops(file);
	ret_view->errors = file_summary_errors(file);
	ret_view->bytes = file_summary_bytes(file);
	ret_view->reads = file->class[OP_CLASS_READ].ops;
	ret_view->writes = file->class[OP_CLASS_WRITE].ops;
	for (int i = 0; i < SUMMARY_SIZE_BUCKETS; i++)
		ret_view->transfers += file->size[i];
	ret_view->sequential = percent_of(file->sequential, ret_view->transfers);
	for (int i = 0; i < DURATIONS; i++) {
		hist_reset(hist);
		file_summary_hist(file, (enum duration)i, hist);
		view_duration(hist, &ret_view->dur[i]);
	}
	return 0;
}

#define E(name) [name] = #name
static const char *const errno_names[] = {
	E(EPERM),        E(ENOENT),          E(ESRCH),        E(EINTR),         E(EIO),
	E(ENXIO),        E(E2BIG),           E(ENOEXEC),      E(EBADF),         E(ECHILD),
	E(EAGAIN),       E(ENOMEM),          E(EACCES),       E(EFAULT),        E(ENOTBLK),
	E(EBUSY),        E(EEXIST),          E(EXDEV),        E(ENODEV),        E(ENOTDIR),
	E(EISDIR),       E(EINVAL),          E(ENFILE),       E(EMFILE),        E(ENOTTY),
	E(ETXTBSY),      E(EFBIG),           E(ENOSPC),       E(ESPIPE),        E(EROFS),
	E(EMLINK),       E(EPIPE),           E(EDOM),         E(ERANGE),        E(EDEADLK),
	E(ENAMETOOLONG), E(ENOLCK),          E(ENOSYS),       E(ENOTEMPTY),     E(ELOOP),
	E(ENOMSG),       E(EIDRM),           E(ENOSTR),       E(ENODATA),       E(ETIME),
	E(ENOSR),        E(ENONET),          E(EREMOTE),      E(ENOLINK),       E(ECOMM),
	E(EPROTO),       E(EMULTIHOP),       E(EBADMSG),      E(EOVERFLOW),     E(EBADFD),
	E(EREMCHG),      E(EILSEQ),          E(ERESTART),     E(ESTRPIPE),      E(EUSERS),
	E(ENOTSOCK),     E(EMSGSIZE),        E(EPROTOTYPE),   E(ENOPROTOOPT),   E(EPROTONOSUPPORT),
	E(EOPNOTSUPP),   E(EAFNOSUPPORT),    E(EADDRINUSE),   E(EADDRNOTAVAIL), E(ENETDOWN),
	E(ENETUNREACH),  E(ENETRESET),       E(ECONNABORTED), E(ECONNRESET),    E(ENOBUFS),
	E(EISCONN),      E(ENOTCONN),        E(ESHUTDOWN),    E(ETIMEDOUT),     E(ECONNREFUSED),
	E(EHOSTDOWN),    E(EHOSTUNREACH),    E(EALREADY),     E(EINPROGRESS),   E(ESTALE),
	E(EUCLEAN),      E(EREMOTEIO),       E(EDQUOT),       E(ENOMEDIUM),     E(EMEDIUMTYPE),
	E(ECANCELED),    E(ENOKEY),          E(EKEYEXPIRED),  E(EKEYREVOKED),   E(EKEYREJECTED),
	E(EOWNERDEAD),   E(ENOTRECOVERABLE),
};
#undef E

const char *view_errno_name(uint32_t error)
{
	return error < sizeof(errno_names) / sizeof(errno_names[0]) ? errno_names[error] : NULL;
}
