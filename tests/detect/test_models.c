/* SPDX-License-Identifier: Apache-2.0 */
/* Models of all kinds: built in, from files, and their ids. */
#include "check.h"

#include "detect/detector.h"
#include "methods/pagelevel_model.h"

static void models_are_built_in(void **state)
{
    tmpl_models_t models;
    tmpl_models_builtin(&models, *state);
    assert_non_null(models.pagelevel);
    assert_non_null(models.trees);
}

static void the_built_in_trees_are_those_of_the_file(void **state)
{
    const tmpl_trees_source_t *built_in = &tmpl_builtin_auto;
    tmpl_trees_source_t read;
    tmpl_model_text_t text;
    tmpl_error_t err;
    assert_int_equal(tmpl_model_text_read(&text, "models/auto.model", &err, *state), APR_SUCCESS);
    assert_int_equal(tmpl_trees_source_read(&read, &text, &err, *state), APR_SUCCESS);
    assert_true(built_in->id == read.id);
    assert_float_equal(built_in->threshold, read.threshold, 0);
    assert_float_equal(built_in->bias, read.bias, 0);
    assert_int_equal(built_in->n_parts, read.n_parts);
    for (uint32_t i = 0; i < read.n_parts; i++) {
        const tmpl_trees_part_t *is = &built_in->parts[i], *should = &read.parts[i];
        size_t n_nodes = 0;
        assert_int_equal(is->n_trees, should->n_trees);
        assert_int_equal(is->n_conditions, should->n_conditions);
        assert_memory_equal(is->sizes, should->sizes, should->n_trees);
        for (uint32_t t = 0; t < should->n_trees; t++) {
            n_nodes += should->sizes[t];
        }
        assert_memory_equal(is->nodes, should->nodes, n_nodes * sizeof(*is->nodes));
        assert_memory_equal(is->conditions, should->conditions,
                            should->n_conditions * sizeof(*is->conditions));
    }
}

static void the_built_in_regressions_are_those_of_the_file(void **state)
{
    const tmpl_model_t *built_in = &tmpl_builtin_pagelevel;
    tmpl_models_t models = { 0 };
    const char *detector;
    tmpl_error_t err;
    assert_int_equal(tmpl_models_load(&models, &detector, "models/pagelevel.model", &err, *state),
                     APR_SUCCESS);
    const tmpl_model_t *read = models.pagelevel;
    assert_true(built_in->id == read->id);
    assert_float_equal(built_in->threshold, read->threshold, 0);
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        const tmpl_model_class_t *is = &built_in->classes[c], *should = &read->classes[c];
        assert_float_equal(is->logistic.bias, should->logistic.bias, 0);
        assert_int_equal(is->logistic.n, TMPL_FEATURE_COUNT);
        assert_memory_equal(is->logistic.terms, should->logistic.terms,
                            TMPL_FEATURE_COUNT * sizeof(*is->logistic.terms));
        assert_int_equal(is->nodes, should->nodes);
        assert_int_equal(is->template_nodes, should->template_nodes);
        assert_float_equal(is->loss, should->loss, 0);
    }
}

/* RFC 1321, A.5 */
static void the_id_of_a_text_is_of_its_md5(void **state)
{
    const tmpl_model_text_t text = { "", "abc", 3 };
    (void)state;
    assert_true(tmpl_model_text_id(&text) == 0x900150983cd24fb0);
}

static void a_model_names_its_detector(void **state)
{
    tmpl_models_t models;
    tmpl_models_t before;
    const char *detector;
    tmpl_error_t err;
    tmpl_models_builtin(&models, *state);
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
    assert_non_null(strstr(err.text, "not the head of a model: tmpl-pagelevel 2 or tmpl-trees 2"));
    assert_int_not_equal(tmpl_models_load(&models, &detector, "/nowhere/model", &err, *state),
                         APR_SUCCESS);
    assert_non_null(strstr(err.text, "/nowhere/model"));
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
    CHECK(the_built_in_trees_are_those_of_the_file),
    CHECK(the_built_in_regressions_are_those_of_the_file),
    CHECK(the_id_of_a_text_is_of_its_md5),
    CHECK(a_model_names_its_detector),
    CHECK(a_model_has_an_id_by_its_text),
};

TAP_MAIN(tests)
