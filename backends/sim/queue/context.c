/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/context.h"

#include <string.h>

#include "process/process.h"
#include "twinsim/ffts.h"

bool sim_has_context(const twin_launch *kernel)
{
    return kernel->cores == TWIN_CORES_MIXED && sim_process.limits.contexts;
}

uint64_t sim_context_write(struct sim_lists *lists, struct sim_contexts *contexts, uint32_t room,
                           uint32_t place, uint32_t device, const twin_launch *kernel)
{
    const uint64_t each = sizeof(stars_ffts_context) / sizeof(stars_dma_descriptor);
    if (!contexts->there && !sim_lists_take(lists, room * each, &contexts->list))
        return 0;
    contexts->there = true;
    const twin_device_properties *properties = &sim_process.properties[device];
    const uint32_t cube = properties->aic_cores;
    const uint32_t ratio = cube == 0 ? 0 : properties->aiv_cores / cube;
    stars_ffts_context context = {{0}};
    context.word[0] = STARS_FFTS_MIX_AIC;
    const uint32_t schedule = kernel->batch ? STARS_SCHEM_BATCH : STARS_SCHEM_NORMAL;
    context.word[16] = schedule << STARS_FFTS_SCHEM_SHIFT;
    context.word[17] = ratio << STARS_FFTS_W17_RATIO_SHIFT | ratio << STARS_FFTS_W17_LAST_SHIFT;
    context.word[18] = 1u << STARS_FFTS_W18_THREADS_SHIFT;
    context.word[STARS_FFTS_BLOCKS_WORD] = kernel->blocks | kernel->blocks
                                                                << STARS_FFTS_W19_LAST_SHIFT;
    stars_ffts_context *at = (stars_ffts_context *)(void *)sim_lists_at(lists, contexts->list);
    memcpy(at + place, &context, sizeof(context));
    return (uintptr_t)(at + place);
}

void sim_contexts_release(struct sim_lists *lists, struct sim_contexts *contexts)
{
    if (contexts->there)
        sim_lists_release(lists, contexts->list);
    contexts->there = false;
}
