/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/resource_limit.h"

#include "core/backend/error.h"
#include "core/object/context.h"
#include "core/object/stream.h"

static const char *const kind_names[TWIN_CORE_KINDS] = {"cube", "vector"};

static uint32_t present(const twin_device_properties *properties, uint32_t kind)
{
    return kind == TWIN_CORE_CUBE ? properties->aic_cores : properties->aiv_cores;
}

static uint32_t resolve(const twin_core_share *share, uint32_t kind, uint32_t wider)
{
    uint32_t cores = atomic_load_explicit(&share->cores[kind], memory_order_relaxed);
    return cores == TWIN_CORES_ALL ? wider : cores;
}

static uint32_t resolve_device(const twin_device *device, uint32_t kind)
{
    return resolve(&device->share, kind, present(device->properties, kind));
}

static int32_t check_kind(uint32_t kind)
{
    if (kind < TWIN_CORE_KINDS)
        return 0;
    return twin_fail(TWIN_ERR_PARAM, "type is %d; 0 (cube cores) and 1 (vector cores) are known",
                     (int32_t)kind);
}

static int32_t set_share(twin_core_share *share, const twin_device *device, uint32_t kind,
                         uint32_t cores)
{
    uint32_t most = present(device->properties, kind);
    if (cores > most)
        return twin_fail(TWIN_ERR_PARAM, "value is %u; device %u has %u %s cores", cores,
                         device->id, most, kind_names[kind]);
    atomic_store_explicit(&share->cores[kind], cores, memory_order_relaxed);
    return 0;
}

/* Of a device ---------------------------------------------------------------------------------- */

/* The device, up and locked. */
static int32_t lock_device(int32_t id, twin_device **out_device)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(id, &device);
    if (code != 0)
        return code;
    twin_lock_take(&device->lock);
    if (device->state == TWIN_DEVICE_UP) {
        *out_device = device;
        return 0;
    }
    twin_lock_drop(&device->lock);
    return twin_fail(TWIN_ERR_SETUP, "device %d is not set; call aclrtSetDevice first", id);
}

int32_t twin_cores_set_device(int32_t device_id, uint32_t kind, uint32_t cores)
{
    twin_device *device = NULL;
    int32_t code = check_kind(kind);
    if (code == 0)
        code = lock_device(device_id, &device);
    if (code != 0)
        return code;
    code = set_share(&device->share, device, kind, cores);
    twin_lock_drop(&device->lock);
    return code;
}

int32_t twin_cores_of_device(int32_t device_id, uint32_t kind, uint32_t *out_cores)
{
    twin_device *device = NULL;
    int32_t code = check_kind(kind);
    if (code == 0)
        code = lock_device(device_id, &device);
    if (code != 0)
        return code;
    *out_cores = resolve_device(device, kind);
    twin_lock_drop(&device->lock);
    return 0;
}

int32_t twin_cores_reset_device(int32_t device_id)
{
    twin_device *device = NULL;
    int32_t code = lock_device(device_id, &device);
    if (code != 0)
        return code;
    twin_core_share_reset(&device->share);
    twin_lock_drop(&device->lock);
    return 0;
}

/* Of a stream ---------------------------------------------------------------------------------- */

/* Pins the stream after checking the kind. A dead handle is reported before a wrong kind. */
static int32_t pin_stream(uint64_t stream, uint32_t kind, twin_stream **out_stream)
{
    int32_t code = twin_stream_guard(stream);
    if (code == 0)
        code = check_kind(kind);
    return code != 0 ? code : twin_stream_pin(stream, out_stream);
}

int32_t twin_cores_set_stream(uint64_t stream, uint32_t kind, uint32_t cores)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = pin_stream(stream, kind, &pinned);
    return code != 0 ? code : set_share(&pinned->share, pinned->device, kind, cores);
}

int32_t twin_cores_of_stream(uint64_t stream, uint32_t kind, uint32_t *out_cores)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = pin_stream(stream, kind, &pinned);
    if (code == 0)
        *out_cores = resolve(&pinned->share, kind, resolve_device(pinned->device, kind));
    return code;
}

int32_t twin_cores_reset_stream(uint64_t stream)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin(stream, &pinned);
    if (code == 0)
        twin_core_share_reset(&pinned->share);
    return code;
}

/* Of a thread ---------------------------------------------------------------------------------- */

int32_t twin_cores_use(uint64_t stream)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin(stream, &pinned);
    if (code == 0)
        twin_self.share_stream = pinned->object.handle;
    return code;
}

int32_t twin_cores_unuse(uint64_t stream)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin(stream, &pinned);
    if (code == 0 && twin_self.share_stream == pinned->object.handle)
        twin_self.share_stream = 0;
    return code;
}

int32_t twin_cores_of_thread(uint32_t kind, uint32_t *out_cores)
{
    TWIN_PINNED(context, context);
    TWIN_PINNED(stream, used);
    int32_t code = check_kind(kind);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    *out_cores = resolve_device(context->device, kind);
    used = twin_handle_pin(&twin_streams, twin_self.share_stream);
    /* A stream that is gone, or of another device, has no share here. */
    if (used && used->device == context->device)
        *out_cores = resolve(&used->share, kind, *out_cores);
    return 0;
}
