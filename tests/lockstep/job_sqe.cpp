// SPDX-License-Identifier: Apache-2.0
/// The 64 bytes of a job's tasks.
#include "job.h"
#include "sqe.h"

namespace job
{

stars_sqe Step::sqe() const
{
    stars_sqe made = sqe_placeholder();
    const auto id = static_cast<uint32_t>(args[0]);
    switch (kind) {
    case Kind::kPlaceholder:
        made.word[0] |= id << STARS_W0_BLOCK_DIM_SHIFT;
        break;
    case Kind::kEventRecord:
        made = sqe_event_record(id);
        break;
    case Kind::kEventWait:
        made = sqe_event_wait(id, static_cast<uint32_t>(args[1]));
        break;
    case Kind::kNotifyRecord:
        made = sqe_notify_record(id);
        break;
    case Kind::kNotifyWait:
        made = sqe_notify_wait(id, static_cast<uint32_t>(args[1]));
        break;
    case Kind::kWriteEvent:
        made = sqe_event_write(id, static_cast<uint32_t>(args[1]));
        break;
    case Kind::kWriteNotify:
        made = sqe_event_write(0, static_cast<uint32_t>(args[1]));
        made.word[4] = STARS_NOTIFY_ENTRY(id);
        made.word[7] = STARS_WRITE_VALUE_GENERIC;
        break;
    case Kind::kWriteMemory:
        made = sqe_write_value(args[0], static_cast<uint32_t>(args[1]), args[2]);
        break;
    case Kind::kWriteNowhere:
        made = sqe_write_value(args[0], 2, 1);
        made.word[5] &= ~STARS_W5_VIRTUAL;
        break;
    case Kind::kSdma:
        made = sqe_sdma(args[0], args[1], static_cast<uint32_t>(args[2]));
        break;
    case Kind::kFill:
        made =
            sqe_sdma_fill(args[0], static_cast<uint8_t>(args[1]), static_cast<uint32_t>(args[2]));
        break;
    case Kind::kPcie:
        made = sqe_pcie_dma(args[0], args[1], args[2]);
        break;
    case Kind::kCountRecord:
        made = sqe_count_record(id, static_cast<uint32_t>(args[1]), static_cast<uint32_t>(args[2]));
        break;
    case Kind::kCountWait:
        made = sqe_count_wait(id, static_cast<uint32_t>(args[1]), static_cast<uint32_t>(args[2]),
                              args[3] != 0, static_cast<uint32_t>(args[4]));
        break;
    case Kind::kCallback:
        made = sqe_callback(static_cast<uint16_t>(id), 0, 0, args[1] != 0);
        break;
    case Kind::kPoll:
        made = sqe_poll(queue, static_cast<uint32_t>(args[2]), args[0], args[1]);
        break;
    default:
        made = {};
        made.word[0] = id & STARS_W0_TYPE_MASK;
        break;
    }
    made = sqe_with_credit(made, credit);
    if (cqe)
        made = sqe_with_cqe(made);
    made.word[0] |=
        ie << STARS_W0_IE_SHIFT | pre << STARS_W0_PRE_P_SHIFT | post << STARS_W0_POST_P_SHIFT;
    return made;
}

} // namespace job
