/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/label.h"

#include <sched.h>
#include <semaphore.h>

#include "check.h"
#include "core/model_instance/model_instance.h"

static sem_t sealing, may_seal;
static unsigned labels_set;
static uint64_t model, stream, label, list;

static twin_status create(twin_hw_device *device, twin_hw_instance **out_instance)
{
    (void)device;
    *out_instance = (twin_hw_instance *)&model;
    return TWIN_OK;
}

static void destroy(twin_hw_instance *instance)
{
    (void)instance;
}

static twin_status bind(twin_hw_instance *instance, twin_queue *queue, bool head)
{
    (void)instance;
    (void)queue;
    (void)head;
    return TWIN_OK;
}

static twin_status unbind(twin_hw_instance *instance, twin_queue *queue)
{
    (void)instance;
    (void)queue;
    return TWIN_OK;
}

static twin_status seal(twin_hw_instance *instance)
{
    (void)instance;
    sem_post(&sealing);
    sem_wait(&may_seal);
    return TWIN_E_INVALID;
}

static twin_status drain(twin_hw_instance *instance, uint64_t timeout_ns)
{
    (void)instance;
    (void)timeout_ns;
    return TWIN_OK;
}

static twin_status end(twin_queue *queue)
{
    (void)queue;
    return TWIN_OK;
}

static twin_status set(twin_queue *queue, uint64_t table, uint32_t index)
{
    (void)queue;
    (void)table;
    (void)index;
    labels_set++;
    return TWIN_OK;
}

static void begin(void)
{
    fresh();
    fake_table.model_instance = (struct twin_model_instance_ops){.create = create,
                                                                 .destroy = destroy,
                                                                 .bind = bind,
                                                                 .unbind = unbind,
                                                                 .seal = seal,
                                                                 .drain = drain};
    fake_table.work.end = end;
    fake_table.work.label = set;
    twin_backend_use(&fake_table);
    CHECK_OK(twin_device_set(0));
    twin_context *context = NULL;
    CHECK_OK(twin_context_pin_current(&context));
    CHECK_OK(twin_stream_create(context, 0, TWIN_STREAM_PERSISTENT, false, &stream));
    twin_context_unpin(context);
    CHECK_OK(twin_instance_create(&model));
    CHECK_OK(twin_instance_bind(model, stream, true));
    CHECK_OK(twin_instance_end(model, stream));
    CHECK_OK(twin_label_create(&label));
    void *const labels[] = {(void *)(uintptr_t)label};
    CHECK_OK(twin_label_list_create(labels, 1, &list));
    labels_set = 0;
    sem_init(&sealing, 0, 0);
    sem_init(&may_seal, 0, 0);
}

static void finish(void)
{
    CHECK_OK(twin_instance_unbind(model, stream));
    CHECK_OK(twin_instance_destroy(model));
    (void)twin_device_reset(0, true);
    sem_destroy(&sealing);
    sem_destroy(&may_seal);
}

static void *build(void *context)
{
    twin_self.context = *(const uint64_t *)context;
    CHECK_CODE(twin_instance_build(model), 107005);
    return NULL;
}

static void *set_label(void *context)
{
    twin_self.context = *(const uint64_t *)context;
    CHECK_CODE(twin_label_set(label, stream), 107017);
    return NULL;
}

/* The model instance is locked by a thread that builds it. A second thread has found the label
 * alive, locked the stream and waits for the instance; then the label and its list go. */
static void test_label_goes_while_it_is_set(void)
{
    begin();
    uint64_t context = twin_self.context;
    twin_stream *held = NULL;
    pthread_t builder, setter;
    CHECK_OK(twin_stream_pin(stream, &held));
    CU_ASSERT_EQUAL_FATAL(pthread_create(&builder, NULL, build, &context), 0);
    sem_wait(&sealing);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&setter, NULL, set_label, &context), 0);
    while (pthread_mutex_trylock(&held->lock.mutex) == 0) { /* until the second thread has it */
        pthread_mutex_unlock(&held->lock.mutex);
        sched_yield();
    }
    CHECK_OK(twin_label_destroy(label));
    CHECK_OK(twin_label_list_destroy(list));
    sem_post(&may_seal);
    pthread_join(builder, NULL);
    pthread_join(setter, NULL);
    CU_ASSERT_EQUAL(labels_set, 0);
    twin_stream_unpin(held);
    finish();
}

static void test_label_is_set_once(void)
{
    begin();
    CHECK_OK(twin_label_set(label, stream));
    CHECK_CODE(twin_label_set(label, stream), 507000);
    CU_ASSERT_EQUAL(labels_set, 1);
    CHECK_OK(twin_label_destroy(label));
    CHECK_OK(twin_label_list_destroy(list));
    finish();
}

static const twin_test tests[] = {
    {"a label that goes while a thread sets it is refused", test_label_goes_while_it_is_set},
    {"a label has one place", test_label_is_set_once},
};

int main(int argc, char **argv)
{
    return twin_run_suite("label", tests, TWIN_COUNT(tests), argc, argv);
}
