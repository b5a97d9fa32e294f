/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/optimum.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <string.h>

/* GSL aborts the program on a numerical error unless told otherwise; every call here looks at what it returns. */
__attribute__((constructor)) static void gsl_stays_calm(void)
{
    gsl_set_error_handler_off();
}

/* Gradient and Hessian by central differences with steps h. False where the function is not finite around x. */
static bool derivatives(const struct objective *o, const double *x, const double *h, double f0, double *gradient,
                        double hessian[OPTIMUM_MAX][OPTIMUM_MAX])
{
    double y[OPTIMUM_MAX];
    memcpy(y, x, o->n * sizeof *y);
    for (size_t i = 0; i < o->n; i++) {
        y[i] = x[i] + h[i];
        double up = o->value(y, o->context);
        y[i] = x[i] - h[i];
        double down = o->value(y, o->context);
        y[i] = x[i];
        if (!isfinite(up) || !isfinite(down))
            return false;
        gradient[i] = (up - down) / (2 * h[i]);
        hessian[i][i] = (up - 2 * f0 + down) / (h[i] * h[i]);
    }
    for (size_t i = 0; i < o->n; i++)
        for (size_t j = 0; j < i; j++) {
            double sum = 0;
            for (int a = -1; a <= 1; a += 2)
                for (int b = -1; b <= 1; b += 2) {
                    y[i] = x[i] + a * h[i];
                    y[j] = x[j] + b * h[j];
                    sum += a * b * o->value(y, o->context);
                }
            y[i] = x[i];
            y[j] = x[j];
            if (!isfinite(sum))
                return false;
            hessian[i][j] = hessian[j][i] = sum / (4 * h[i] * h[j]);
        }
    return true;
}

/* Inverts a symmetric positive definite matrix by Cholesky; false if it is not one. */
static bool invert(size_t n, double a[OPTIMUM_MAX][OPTIMUM_MAX], double inverse[OPTIMUM_MAX][OPTIMUM_MAX])
{
    double l[OPTIMUM_MAX][OPTIMUM_MAX] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j) {
                if (!(sum > 0))
                    return false;
                l[i][i] = sqrt(sum);
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    for (size_t c = 0; c < n; c++) {
        double y[OPTIMUM_MAX];
        for (size_t i = 0; i < n; i++) {
            y[i] = i == c;
            for (size_t k = 0; k < i; k++)
                y[i] -= l[i][k] * y[k];
            y[i] /= l[i][i];
        }
        for (size_t i = n; i-- > 0;) {
            for (size_t k = i + 1; k < n; k++)
                y[i] -= l[k][i] * inverse[k][c];
            inverse[i][c] = y[i] / l[i][i];
        }
    }
    return true;
}

/* One damped Newton step; false if it cannot descend. */
static bool newton_step(const struct objective *o, double *x, const double *h, double *f, double *moved)
{
    double gradient[OPTIMUM_MAX], hessian[OPTIMUM_MAX][OPTIMUM_MAX], inverse[OPTIMUM_MAX][OPTIMUM_MAX];
    if (!derivatives(o, x, h, *f, gradient, hessian) || !invert(o->n, hessian, inverse))
        return false;
    double step[OPTIMUM_MAX], y[OPTIMUM_MAX], decrease = 0;
    for (size_t i = 0; i < o->n; i++) {
        step[i] = 0;
        for (size_t j = 0; j < o->n; j++)
            step[i] -= inverse[i][j] * gradient[j];
        decrease -= step[i] * gradient[i];
    }
    *moved = decrease;
    for (double t = 1; t > 1e-3; t /= 2) {
        for (size_t i = 0; i < o->n; i++)
            y[i] = x[i] + t * step[i];
        double value = o->value(y, o->context);
        if (value <= *f + 1e-13 * fabs(*f)) {
            memcpy(x, y, o->n * sizeof *x);
            *f = value;
            return true;
        }
    }
    return false;
}

static double simplex_value(const gsl_vector *v, void *objective)
{
    const struct objective *o = objective;
    double x[OPTIMUM_MAX];
    for (size_t i = 0; i < o->n; i++)
        x[i] = gsl_vector_get(v, i);
    double f = o->value(x, o->context);
    return isfinite(f) ? f : 1e300;
}

static bool simplex(const struct objective *o, double *x, const double *step, double *f)
{
    struct objective copy = *o;
    gsl_multimin_function function = {simplex_value, o->n, &copy};
    gsl_vector *start = gsl_vector_alloc(o->n), *size = gsl_vector_alloc(o->n);
    gsl_multimin_fminimizer *m = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, o->n);
    for (size_t i = 0; i < o->n; i++) {
        gsl_vector_set(start, i, x[i]);
        gsl_vector_set(size, i, step[i]);
    }
    gsl_multimin_fminimizer_set(m, &function, start, size);
    for (int i = 0; i < 500; i++)
        if (gsl_multimin_fminimizer_iterate(m) || gsl_multimin_fminimizer_size(m) < 1e-8)
            break;
    for (size_t i = 0; i < o->n; i++)
        x[i] = gsl_vector_get(gsl_multimin_fminimizer_x(m), i);
    *f = gsl_multimin_fminimizer_minimum(m);
    gsl_multimin_fminimizer_free(m);
    gsl_vector_free(start);
    gsl_vector_free(size);
    return *f < 1e299;
}

static bool newton(const struct objective *o, double *x, const double *h, double *f)
{
    for (int i = 0; i < 40; i++) {
        double moved = 0;
        if (!newton_step(o, x, h, f, &moved))
            return moved != 0 && moved < 1e-9; /* a step below rounding: it stands at the minimum */
        if (moved < 1e-11)
            return true;
    }
    return false;
}

bool optimum_find(const struct objective *o, double *x, const double *step, double *minimum)
{
    double h[OPTIMUM_MAX], begin[OPTIMUM_MAX];
    for (size_t i = 0; i < o->n; i++)
        h[i] = step[i] * 1e-3;
    memcpy(begin, x, o->n * sizeof *x);
    *minimum = o->value(x, o->context);
    if (isfinite(*minimum) && newton(o, x, h, minimum))
        return true;
    memcpy(x, begin, o->n * sizeof *x);
    if (!simplex(o, x, step, minimum))
        return false;
    newton(o, x, h, minimum); /* polish; the simplex' answer stands where it cannot */
    return true;
}

bool optimum_covariance(const struct objective *o, const double *x, const double *scale, double *covariance)
{
    double h[OPTIMUM_MAX], gradient[OPTIMUM_MAX], hessian[OPTIMUM_MAX][OPTIMUM_MAX], inverse[OPTIMUM_MAX][OPTIMUM_MAX];
    for (size_t i = 0; i < o->n; i++)
        h[i] = scale[i] * 1e-3;
    if (!derivatives(o, x, h, o->value(x, o->context), gradient, hessian) || !invert(o->n, hessian, inverse))
        return false;
    for (size_t i = 0; i < o->n; i++)
        for (size_t j = 0; j < o->n; j++)
            covariance[i * o->n + j] = inverse[i][j];
    return true;
}

double curve_minimum(curve *f, const void *context, double low, double high, double x, double step, double *at)
{
    const double golden = 0.3819660112501051;
    double best = f(x, context), a = fmax(low, x - step), b = fmin(high, x + step);
    /* Walk downhill until the minimum is between a and b. */
    double fa = f(a, context), fb = f(b, context);
    for (int i = 0; i < 60 && (fa < best || fb < best); i++) {
        if (fa < best && fa <= fb) {
            b = x, fb = best, x = a, best = fa;
            step *= 1.6;
            a = fmax(low, x - step);
            fa = f(a, context);
            if (a == low && x == low)
                break;
        } else {
            a = x, fa = best, x = b, best = fb;
            step *= 1.6;
            b = fmin(high, x + step);
            fb = f(b, context);
            if (b == high && x == high)
                break;
        }
    }
    double c = a + golden * (b - a), d = b - golden * (b - a), fc = f(c, context), fd = f(d, context);
    for (int i = 0; i < 80 && b - a > 1e-9 * (fabs(a) + fabs(b)) + 1e-12; i++) {
        if (fc < fd) {
            b = d, d = c, fd = fc;
            c = a + golden * (b - a);
            fc = f(c, context);
        } else {
            a = c, c = d, fc = fd;
            d = b - golden * (b - a);
            fd = f(d, context);
        }
    }
    double m = (a + b) / 2, fm = f(m, context);
    if (fm <= best)
        x = m, best = fm;
    if (at)
        *at = x;
    return best;
}

struct root_problem {
    curve *f;
    const void *context;
};
static double root_value(double x, void *problem)
{
    const struct root_problem *p = problem;
    return p->f(x, p->context);
}

double curve_root(curve *f, const void *context, double low, double high)
{
    struct root_problem problem = {f, context};
    double fl = f(low, context), fh = f(high, context);
    if (fl == 0)
        return low;
    if (fh == 0)
        return high;
    if (!isfinite(fl) || !isfinite(fh) || (fl > 0) == (fh > 0))
        return NAN;
    gsl_function function = {root_value, &problem};
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    double root = NAN;
    if (gsl_root_fsolver_set(solver, &function, low, high) == GSL_SUCCESS)
        for (int i = 0; i < 200; i++) {
            if (gsl_root_fsolver_iterate(solver))
                break;
            root = gsl_root_fsolver_root(solver);
            double a = gsl_root_fsolver_x_lower(solver), b = gsl_root_fsolver_x_upper(solver);
            if (b - a <= 1e-13 * fmin(fabs(a), fabs(b)) + 1e-300)
                break;
        }
    gsl_root_fsolver_free(solver);
    return root;
}
