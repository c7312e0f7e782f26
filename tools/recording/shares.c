/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that are shared under a name: where the recording holds both ends, they are one signal,
 * as long as no other process is let in. Names are not in a recording, but a number made of
 * each. */
#include "recording/containers.h"
#include "recording/reading.h"

struct share {
    UT_hash_handle hh;
    uint64_t name;
    uint32_t signal;
    bool opened; /* in this process */
    bool others; /* another process may open it, as the recording says */
};

static struct share *find(struct share *shares, uint64_t name)
{
    struct share *share = NULL;
    HASH_FIND(hh, shares, &name, sizeof(name), share);
    return share;
}

static bool add(struct share **shares, const twin_op *op)
{
    struct share *share = find(*shares, op->config.share);
    if (share) {
        share->others |= share->signal != op->object; /* two have one number: neither is trusted */
        return true;
    }
    HASH_ENSURE(*shares, name, op->config.share, share);
    if (share)
        share->signal = op->object;
    return share != NULL;
}

/* Other processes that a signal's owner lets in by their numbers. */
static void note_allowed(const twin_recording *recording, struct share *shares)
{
    uint32_t own = twin_recording_header(recording)->process;
    for (size_t i = 0; shares && i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_SIGNAL_ALLOW allow;
        if (!TWIN_RECORDING_GET(entry, SIGNAL_ALLOW, &allow) || !twin_recording_succeeded(entry))
            continue;
        size_t bytes = 0;
        const int32_t *pids = twin_recording_tail(entry, &bytes);
        bool others = false;
        for (size_t k = 0; k < allow.count && (k + 1) * sizeof(*pids) <= bytes; k++)
            others |= (uint32_t)pids[k] != own;
        for (struct share *share = shares; others && share; share = share->hh.next)
            share->others |= share->signal == allow.signal;
    }
}

bool twin_ops_add_shares(const twin_recording *recording, struct twin_ops *out)
{
    struct share *shares = NULL;
    bool good = true;
    for (size_t i = 0; good && i < out->count; i++)
        if (out->list[i].kind == TWIN_OP_SIGNAL_SHARE && twin_op_succeeded(&out->list[i]))
            good = add(&shares, &out->list[i]);
    note_allowed(recording, shares);
    for (int turn = 0; turn < 2 && shares; turn++)
        for (size_t i = 0; i < out->count; i++) {
            twin_op *op = &out->list[i];
            const bool opens = op->kind == TWIN_OP_SIGNAL_OPEN;
            struct share *share = NULL;
            if ((opens || op->kind == TWIN_OP_SIGNAL_SHARE) && twin_op_succeeded(op))
                share = find(shares, op->config.share);
            if (share && turn == 0)
                share->opened |= opens;
            else if (share)
                op->config.inside = share->opened && !share->others;
        }
    HASH_FREE_ALL(shares);
    return good;
}
