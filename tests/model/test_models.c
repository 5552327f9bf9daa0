/* SPDX-License-Identifier: Apache-2.0 */
/* Models of all kinds: built in, from files, and their ids. */
#include "check.h"

#include "model/models.h"

static void models_are_built_in(void **state)
{
    tmpl_models_t models;
    tmpl_error_t err = { 0 };
    if (tmpl_models_builtin(&models, &err, *state) != APR_SUCCESS) {
        fail_msg("%s", err.text);
    }
    assert_non_null(models.pagelevel);
    assert_non_null(models.trees);
}

static void a_model_names_its_detector(void **state)
{
    tmpl_models_t models;
    tmpl_models_t before;
    const char *detector;
    tmpl_error_t err;
    assert_int_equal(tmpl_models_builtin(&models, &err, *state), APR_SUCCESS);
    before = models;
    assert_int_equal(tmpl_models_load(&models, &detector, "tests/models/one.trees", &err, *state),
                     APR_SUCCESS);
    assert_string_equal(detector, "auto");
    assert_ptr_equal(models.pagelevel, before.pagelevel);
    assert_ptr_not_equal(models.trees, before.trees);
    before = models;
    assert_int_equal(tmpl_models_load(&models, &detector, "models/pagelevel.model", &err, *state),
                     APR_SUCCESS);
    assert_string_equal(detector, "pagelevel");
    assert_ptr_not_equal(models.pagelevel, before.pagelevel);
    assert_ptr_equal(models.trees, before.trees);
    before = models;
    assert_int_equal(tmpl_models_load(&models, &detector, "tests/models/bad.trees", &err, *state),
                     APR_EINVAL);
    assert_int_equal(tmpl_models_load(&models, &detector, "tests", &err, *state), APR_EINVAL);
    assert_non_null(strstr(err.text, "tests: no file"));
    assert_int_equal(tmpl_models_load(&models, &detector, "README.md", &err, *state), APR_EINVAL);
    assert_non_null(strstr(err.text, "not the head of a model: tmpl-pagelevel 2 or tmpl-trees 1"));
    assert_memory_equal(&models, &before, sizeof(models));
}

/* A model's id depends on its text, not on its address. */
static void a_model_has_an_id_by_its_text(void **state)
{
    static const char *const files[] = { "tests/models/one.trees", "tests/models/all.trees",
                                         "models/pagelevel.model" };
    tmpl_models_id_t ids[3];
    const char *detector;
    tmpl_error_t err;
    for (unsigned i = 0; i < 6; i++) {
        tmpl_models_t models = { 0 };
        tmpl_models_id_t none = tmpl_models_id(&models);
        assert_true(none.trees == 0 && none.pagelevel == 0);
        assert_int_equal(tmpl_models_load(&models, &detector, files[i % 3], &err, *state),
                         APR_SUCCESS);
        tmpl_models_id_t id = tmpl_models_id(&models);
        assert_int_equal(id.trees != 0, strcmp(detector, "auto") == 0);
        assert_int_equal(id.pagelevel != 0, strcmp(detector, "pagelevel") == 0);
        if (i < 3) {
            ids[i] = id;
        }
        assert_memory_equal(&id, &ids[i % 3], sizeof(id));
    }
    assert_true(ids[0].trees != ids[1].trees);
}

static const struct CMUnitTest tests[] = {
    CHECK(models_are_built_in),
    CHECK(a_model_names_its_detector),
    CHECK(a_model_has_an_id_by_its_text),
};

TAP_MAIN(tests)
